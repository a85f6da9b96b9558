import { expect, test } from 'vitest';
import {
  cookieOfApp,
  mayBeKept,
  mayKeepPages,
  offlineChoice,
  offlineCookie,
  sessionKey,
} from '#features/office/offline/offline.server.ts';
import { impersonating, sessionAs } from '../../support/api.ts';
import { makeCast } from '../../support/cast.ts';
import '../../../src/app.server.ts';

const { ada, ben, sam } = await makeCast();
const PAGE = 'http://localhost/clientcenter/en-us/tasks';
/** What a browser sends back. */
const sentBack = (cookie: string): string => cookie.split(';', 1)[0] ?? '';
const get = (headers: Record<string, string> = {}, url = PAGE): Request => new Request(url, { headers });
const chosen = { cookie: sentBack(offlineCookie(ada.contactId, true)) };

test('each sign-in, contact and viewer has another key, which says nothing about them', () => {
  const [own, other] = [sessionAs(ada), sessionAs(ben)];
  const keys = [own, { ...own, id: 'another' }, other, impersonating(ada, sam)].map(sessionKey);
  expect(new Set(keys).size).toBe(4);
  expect(sessionKey(own)).toBe(keys[0]);
  expect(keys.join(' ')).not.toContain(ada.contactId);
});

test('a device keeps pages only for the person who chose so on it', () => {
  expect(offlineChoice(ada.contactId, null)).toBeUndefined();
  expect(offlineChoice(ada.contactId, chosen.cookie)).toBe(true);
  expect(offlineChoice(ben.contactId, chosen.cookie)).toBeUndefined();
  expect(offlineChoice(ada.contactId, sentBack(offlineCookie(ada.contactId, false)))).toBe(false);
  expect(chosen.cookie).not.toContain(ada.contactId);
  expect(mayBeKept(get(chosen), sessionAs(ada))).toBe(true);
  expect(mayBeKept(get(chosen), sessionAs(ben))).toBe(false);
  expect(mayBeKept(get(), sessionAs(ada))).toBe(false);
});

test('pages of staff are never kept, nor those that staff see as a contact', () => {
  const cookie = sentBack(offlineCookie(sam.contactId, true));
  expect(mayKeepPages(sessionAs(sam))).toBe(false);
  expect(mayBeKept(get({ cookie }), sessionAs(sam))).toBe(false);
  expect(mayBeKept(get(chosen), impersonating(ada, sam))).toBe(false);
});

test('lists are kept as they begin, and not where data is expensive', () => {
  expect(mayBeKept(get(chosen, `${PAGE}?client=client_1`), sessionAs(ada))).toBe(true);
  expect(mayBeKept(get(chosen, `${PAGE}?name=salary`), sessionAs(ada))).toBe(false);
  expect(mayBeKept(get({ ...chosen, 'save-data': 'on' }), sessionAs(ada))).toBe(false);
});

test('the app of the firm keeps pages, unless its person chose otherwise or a link of another site opened it', () => {
  const url = `${PAGE}?source=app`;
  const opened = (headers: Record<string, string>, session = sessionAs(ada)) =>
    cookieOfApp(get(headers, url), session);
  expect(opened({ 'sec-fetch-site': 'none' })).toBe(offlineCookie(ada.contactId, true));
  expect(opened({ 'sec-fetch-site': 'cross-site' })).toBeUndefined();
  expect(opened({ 'sec-fetch-site': 'none' }, sessionAs(sam))).toBeUndefined();
  expect(opened({ 'sec-fetch-site': 'none' }, impersonating(ada, sam))).toBeUndefined();
  const refused = sentBack(offlineCookie(ada.contactId, false));
  expect(opened({ 'sec-fetch-site': 'none', cookie: refused })).toBeUndefined();
  expect(cookieOfApp(get({ 'sec-fetch-site': 'none' }), sessionAs(ada))).toBeUndefined();
});
