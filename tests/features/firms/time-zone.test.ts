import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createFirm, firmOf } from '#features/base/firms/firms.server.ts';
import { savedThemeOf, resetTheme, saveTheme } from '#features/base/firms/theme-settings.server.ts';
import { changedMail } from '#features/identity/credentials/mails.server.ts';
import { invitationMail } from '#features/identity/invitations/mails.server.ts';
import { ownerResetMail, rescueMail } from '#features/identity/recovery/mails.server.ts';
import { noteAndTell } from '#features/identity/second-factors/notices.server.ts';
import { createContact } from '#features/base/people/people.server.ts';
import { tokenMail } from '#features/identity/sessions/mails.server.ts';
import { shareDocuments } from '#features/sharing/sharing/sending.server.ts';
import { db } from '#platform/database/database.server.ts';
import { isTimeZone, timeZoneFor, timeZoneNamed, TIME_ZONES } from '#platform/text/time-zones.ts';
import { LANGS } from '#platform/text/languages.ts';
import { everyRow, uploadAs, makeCast, startMailServer, person, standAt } from '../../support/cast.ts';
import '../../../src/app.server.ts';

/* The time zone of a firm: a bank clerk in Chicago reads dates in Chicago time in its mails. */

const { firmOne, firmTwo, ada, sam, projectA } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const letter = await uploadAs(ada, projectA, 'letter.pdf', 'a letter');
const mailServer = await startMailServer();
afterAll(() => mailServer.close());

/** Late on November 26 in Chicago, early on November 27 in UTC. */
const LATE = Date.parse('2026-11-27T04:07:00Z');
const CHICAGO = 'November 26, 2026 at 10:07 PM CST';
const plain = (text: string | undefined): string => (text ?? '').replaceAll('\u202f', ' ');
const base = { name: 'New Ledger', phone: '', email: 'office@new.example' };

async function choose(timeZone: string): Promise<void> {
  const { values, version } = await savedThemeOf(olga);
  await saveTheme(olga, { ...values, timeZone }, { version });
}

beforeEach(() => {
  standAt(LATE);
});

describe('the time zone of a firm', () => {
  test('the default time zone of a firm is that of most people who read its language', async () => {
    for (const lang of LANGS) {
      const { timeZone } = await firmOf(await createFirm({ ...base, language: lang }));
      expect([timeZone, isTimeZone(timeZone), timeZone !== 'UTC']).toEqual([timeZoneFor(lang), true, true]);
    }
    const named = await createFirm({ ...base, language: 'pt', timeZone: 'America/Manaus' });
    expect((await firmOf(named)).timeZone).toBe('America/Manaus');
    const wrong = createFirm({ ...base, language: 'pt', timeZone: 'Mars/Olympus' });
    await expect(wrong).rejects.toMatchObject({ code: 'INVALID', details: { field: 'timeZone' } });
  });

  test('those who manage a firm choose its time zone, which survives a theme reset and does not affect other firms', async () => {
    const other = (await firmOf(firmTwo)).timeZone;
    await choose('Asia/Tokyo');
    await resetTheme(olga, (await savedThemeOf(olga)).version);
    expect([(await firmOf(firmOne)).timeZone, (await firmOf(firmTwo)).timeZone]).toEqual([
      'Asia/Tokyo',
      other,
    ]);
    const changes = db().selectFrom('audit').select('details').where('action', '=', 'theme.change');
    const { details } = await changes.orderBy('seq', 'desc').limit(1).executeTakeFirstOrThrow();
    expect(details).toContain('"time_zone"');
    await choose('UTC');
    expect((await savedThemeOf(olga)).values.timeZone).toBe('UTC');
  });

  test.each(['', 'Mars/Olympus', 'america/chicago', '+05:00', 'constructor', 'UTC\n'])(
    'the time zone of a firm cannot be %j',
    async (timeZone) => {
      const before = await everyRow();
      await expect(choose(timeZone)).rejects.toMatchObject({
        code: 'INVALID',
        details: { field: 'timeZone' },
      });
      expect(await everyRow()).toEqual(before);
    },
  );

  test('a time zone chosen while somebody else changes the theme is not overwritten', async () => {
    const { values, version } = await savedThemeOf(olga);
    await choose('America/Denver');
    const late = saveTheme(olga, { ...values, timeZone: 'Asia/Tokyo' }, { version });
    await expect(late).rejects.toMatchObject({ code: 'STALE' });
    expect((await firmOf(firmOne)).timeZone).toBe('America/Denver');
  });

  test("every browser's alias of a time zone is recognized, and an unknown name gives none", () => {
    const named = ['America/Chicago', 'Etc/UTC', 'Asia/Calcutta', 'Asia/Kolkata', 'Europe/Kyiv'].map(
      timeZoneNamed,
    );
    for (const timeZone of named) expect(isTimeZone(timeZone ?? '')).toBe(true);
    expect(named.slice(0, 2)).toEqual(['America/Chicago', 'UTC']);
    expect(named[2]).toBe(named[3]);
    for (const wrong of ['', 'Mars/Olympus', '+05:00', 'x'.repeat(5000)])
      expect(timeZoneNamed(wrong)).toBeUndefined();
  });

  test('every time zone on the list can be formatted by the portal', () => {
    expect(TIME_ZONES.length).toBeGreaterThan(300);
    for (const timeZone of TIME_ZONES)
      expect(() => new Intl.DateTimeFormat('en-US', { timeZone })).not.toThrow();
  });
});

describe('a mail of a firm in Chicago', () => {
  beforeEach(() => choose('America/Chicago'));
  const reader = { prismGuid: ada.prismGuid, email: ada.emailAddress, language: 'en-us' };

  test('a share mail shows the expiry date in the time zone of the firm', async () => {
    standAt(LATE);
    await shareDocuments(
      ada,
      {
        expirationPeriod: 'AfterOneDay',
        overrides: { subject: 'Statements', body: '' },
        recipients: [{ emailAddress: 'clerk@bank.example' }],
        sharedItems: [{ documentId: letter.id, containerId: projectA.id, containerType: 'Project' }],
      },
      'en-us',
    );
    const [mail] = await mailServer.deliver();
    for (const part of [mail?.mail.text, mail?.mail.html])
      expect(plain(String(part))).toContain('November 27, 2026 at 10:07 PM CST');
  });

  test('a sign-in mail shows the time in the time zone of the firm', async () => {
    const firm = await firmOf(firmOne);
    const to = { invitationId: 'invitation_1', email: 'new@out.example', language: 'en-us', isStaff: false };
    const mails = [
      await changedMail(reader),
      await ownerResetMail(reader),
      invitationMail(firm, sam, to, { token: 'a-token', expiresAt: LATE }),
      rescueMail(firm, sam, ada, LATE),
      tokenMail(firm, ada, LATE),
    ];
    for (const { subject, text } of mails) expect(plain(text), subject).toContain(CHICAGO);
    await noteAndTell('passwordChanged', ada);
    const [notice] = await mailServer.deliver();
    expect(plain(notice?.mail.text)).toContain(CHICAGO);
  });

  test('dates in a mail are in the language of the recipient', async () => {
    expect(plain((await changedMail({ ...reader, language: 'fr' })).text)).toContain(
      '26 novembre 2026 à 22 h 07 HNC',
    );
  });

  test('people with several firms get mails in the time zone of the firm they last used', async () => {
    const { prismGuid } = ada;
    const second = await createContact({ companyId: firmTwo, prismGuid, fullName: 'Ada at Two' });
    await db()
      .updateTable('users')
      .set({ last_contact_id: second })
      .where('prism_guid', '=', prismGuid)
      .execute();
    expect(plain((await changedMail(reader)).text)).toContain('November 27, 2026 at 4:07 AM GMT');
  });
});
