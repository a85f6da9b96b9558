import { afterAll, expect, test } from 'vitest';
import { Person, type Answer } from '../fault-injection/support/person.ts';
import { Portal } from '../fault-injection/support/portal.ts';
import { CLIENT, startIssuer, throughIssuer, type SecondIssuer } from '../support/issuer.ts';
import { command, databaseOf, newPlace, removePlaces, rowsIn, type Ended, type Place } from './support.ts';

const FIRM = 'Second Ledger';
const UNA = 'una@second.example';
const PASSWORD = 'nine green kettles sing';
const BASE = '/clientcenter/en-us';

const issuers: SecondIssuer[] = [];
afterAll(async () => {
  await Promise.all(issuers.map((issuer) => issuer.stop()));
  removePlaces();
});

interface Empty {
  place: Place;
  portal: Portal;
  /** Runs the command beside the portal. */
  createFirm: (...args: string[]) => Promise<Ended>;
}

/** Starts a portal in an empty folder. */
async function emptyPortal(): Promise<Empty> {
  const place = newPlace();
  const portal = await Portal.start({ folder: place.folder, env: { DEMO: '0' } });
  const createFirm = (...args: string[]) =>
    command(place, 'create-firm', args, { PORT: String(portal.port), ...portal.start.env });
  return { place, portal, createFirm };
}

/** The same with people who sign in at an issuer. */
async function emptyPortalWithIssuer(): Promise<Empty> {
  const empty = await emptyPortal();
  const { portal } = empty;
  const issuer = await startIssuer({ origin: portal.origin, paths: [`${BASE}/auth`] });
  issuers.push(issuer);
  await portal.end('SIGTERM');
  portal.start.env = {
    DEMO: '0',
    OIDC_ISSUER: issuer.address,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
  };
  await portal.again();
  return empty;
}

const linkIn = ({ said }: Ended): string => /http:\S+/.exec(said)?.[0] ?? '';
const firmsOf = (place: Place): unknown[] =>
  rowsIn(databaseOf(place), 'select name from firms').map(({ name }) => name);

/** Follows the redirects of the portal to a page. */
async function follow(person: Person, answer: Answer): Promise<{ path: string; html: string }> {
  let [at, path] = [answer, ''];
  for (let hops = 0; hops < 10 && at.headers.has('location'); hops += 1) {
    path = new URL(at.headers.get('location') ?? '', person.origin).pathname;
    at = await person.ask(path);
  }
  return { path, html: at.body.toString() };
}

test('the link of create-firm sets the password of the owner of a new firm, and a repeated command renews it', async () => {
  const { place, portal, createFirm } = await emptyPortal();
  const first = linkIn(await createFirm(FIRM, UNA, 'Una Owner'));
  const link = linkIn(await createFirm(FIRM, UNA, 'Una Owner'));
  expect(firmsOf(place)).toEqual([FIRM]);

  const una = new Person(portal.origin, UNA);
  expect((await una.ask(first)).status).toBe(410);
  expect((await una.ask(link)).status).toBe(200);
  await una.form(link, { form: 'reset', password: PASSWORD });
  const { path } = await follow(una, await una.form(`${BASE}/auth`, { email: UNA, password: PASSWORD }));
  expect(path, 'a new firm asks its staff for a second step').toBe(`${BASE}/auth/mfa-required`);

  const again = await createFirm(FIRM, UNA);
  expect(again.code).toBe(1);
  expect(again.said).toContain('can sign in');
  const another = await createFirm('Third Ledger', UNA);
  expect([another.code, linkIn(another)]).toEqual([0, '']);
  expect(firmsOf(place)).toEqual([FIRM, 'Third Ledger']);
  await portal.end('SIGTERM');
});

test('where an issuer signs people in, the link of create-firm leads its owner through the issuer to the checklist, once', async () => {
  const { place, portal, createFirm } = await emptyPortalWithIssuer();
  const first = linkIn(await createFirm(FIRM, UNA, 'Una Owner'));
  const created = await createFirm(FIRM, UNA, 'Una Owner');
  expect(created.said).toContain('which works once, after signing in at 127.0.0.1');
  const link = linkIn(created);
  expect(firmsOf(place)).toEqual([FIRM]);

  const una = new Person(portal.origin, UNA);
  expect((await una.ask(first)).status).toBe(410);
  const page = await una.ask(link);
  expect([page.status, page.body.includes('type="password"')]).toEqual([200, false]);
  const left = await una.form(link, { form: 'accept' });
  // the page that leads to another site
  const [, issuerUrl = ''] = /content="0;url=([^"]+)"/.exec(left.body.toString()) ?? [];
  const { pathname, search } = await throughIssuer(issuerUrl.replaceAll(/&(amp|#38);/g, '&'));
  await follow(una, await una.ask(pathname + search));
  const { path, html } = await follow(una, await una.ask(`${BASE}/staff`));
  expect([path, html]).toEqual([`${BASE}/staff/start`, expect.stringContaining(`until ${FIRM} is ready`)]);

  expect((await new Person(portal.origin, UNA).ask(link)).status).toBe(410);
  expect((await createFirm(FIRM, UNA)).code).toBe(1);
  const another = await createFirm('Third Ledger', UNA);
  expect([another.code, linkIn(another)], 'who is linked to the issuer needs no link').toEqual([0, '']);
  await portal.end('SIGTERM');
});
