import { describe, expect, test } from 'vitest';
import { findSession, startSession, sweepSessions } from '#features/identity/sessions/sessions.server.ts';
import { saveForm, savedForm } from '#features/identity/sessions/saved-forms.server.ts';
import { HOUR, MINUTE, now, SECOND } from '#platform/runtime/clock.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { apiAs } from '../../support/api.ts';
import { BROWSER, everyRow, makeCast, standAt } from '../../support/cast.ts';

const { ada, ben } = await makeCast();
const background = { inBackground: true };

function formOf(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

describe('background requests', () => {
  test('background requests each minute do not keep an idle session alive for more than half an hour', async () => {
    const token = await startSession(ada, BROWSER);
    const started = now();
    for (let minute = 1; minute <= 29; minute += 1) {
      standAt(started + minute * MINUTE);
      expect((await findSession(token, background))?.expiresAt).toBeLessThanOrEqual(
        started + 30 * MINUTE + SECOND,
      );
    }
    standAt(started + 31 * MINUTE);
    expect(await findSession(token, background)).toBeUndefined();
  });

  test('background requests do not shorten a session either: the next click extends it by thirty minutes', async () => {
    const token = await startSession(ada, BROWSER);
    const started = now();
    standAt(started + 20 * MINUTE);
    await findSession(token, background);
    await findSession(token);
    standAt(started + 49 * MINUTE);
    expect(await findSession(token)).toBeDefined();
  });
});

describe('extending a session', () => {
  test('extending a session returns the seconds left', async () => {
    const token = await startSession(ada, BROWSER);
    standAt(now() + 29 * MINUTE);
    const answer = await apiAs(ada, await findSession(token))('POST', '/api/security/v1/session/extend');
    const { secondsLeft } = (await answer.json()) as { secondsLeft: number };
    expect(secondsLeft).toBeGreaterThan(29 * 60);
    expect(secondsLeft).toBeLessThanOrEqual(30 * 60);
  });

  test('a session cannot be extended beyond twelve hours', async () => {
    const token = await startSession(ada, BROWSER);
    const started = now();
    for (let minutes = 20; minutes < 12 * 60; minutes += 20) {
      standAt(started + minutes * MINUTE);
      await findSession(token);
    }
    standAt(started + 12 * HOUR - MINUTE);
    const answer = await apiAs(ada, await findSession(token))('POST', '/api/security/v1/session/extend');
    expect(((await answer.json()) as { secondsLeft: number }).secondsLeft).toBeLessThanOrEqual(60);
  });
});

describe('a form submitted after its session ended', () => {
  const fields = {
    subject: 'Half a letter',
    password: 'secret-canary',
    authorizationCode: 'code-canary',
    empty: ' ',
  };

  async function endedSession(): Promise<string> {
    const token = await startSession(ada, BROWSER);
    standAt(now() + 31 * MINUTE);
    expect(await findSession(token)).toBeUndefined();
    return token;
  }

  test('a form submitted after the session ended is saved for its owner, encrypted, without passwords and codes', async () => {
    const saved = await saveForm(
      await endedSession(),
      '/clientcenter/en-us/documents/send?id=1',
      formOf(fields),
    );
    expect(await savedForm(ada, saved)).toEqual({
      path: '/clientcenter/en-us/documents/send?id=1',
      fields: [['subject', 'Half a letter']],
    });
    const rows = JSON.stringify(await everyRow());
    for (const secret of ['Half a letter', 'secret-canary', 'code-canary', saved ?? '-'])
      expect(rows).not.toContain(secret);
  });

  test('a saved form is shown to nobody else, and to nobody after an hour', async () => {
    const saved = await saveForm(await endedSession(), '/x', formOf(fields));
    expect(await savedForm(ben, saved)).toBeUndefined();
    for (const none of ['a'.repeat(43), '', undefined]) expect(await savedForm(ada, none)).toBeUndefined();
    await sweepSessions();
    expect(await savedForm(ada, saved)).toBeDefined();
    standAt(now() + HOUR + SECOND);
    expect(await savedForm(ada, saved)).toBeUndefined();
    await sweepSessions();
    expect(JSON.stringify((await everyRow())['kept_forms'])).not.toContain(sha256(saved ?? ''));
  });

  test('a form is saved even if the session was swept first', async () => {
    const token = await startSession(ada, BROWSER);
    standAt(now() + 31 * MINUTE);
    await sweepSessions();
    expect(await saveForm(token, '/x', formOf(fields))).toBeDefined();
    standAt(now() + 13 * HOUR);
    await sweepSessions();
    expect(await saveForm(token, '/x', formOf(fields))).toBeUndefined();
  });

  test('a form is not saved for an unknown person, nor beyond 64 KiB', async () => {
    const token = await endedSession();
    for (const unknown of [undefined, '', 'x', 'a'.repeat(43)])
      expect(await saveForm(unknown, '/x', formOf(fields))).toBeUndefined();
    expect(await saveForm(token, '/x', formOf({ subject: 'x'.repeat(64 * 1024) }))).toBeUndefined();
    expect(await saveForm(token, '/x', formOf({ password: 'only this' }))).toBeUndefined();
  });
});
