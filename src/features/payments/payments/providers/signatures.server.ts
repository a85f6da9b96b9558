import { createHmac, timingSafeEqual } from 'node:crypto';
import { MINUTE, now, SECOND } from '#platform/runtime/clock.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';

/*
 * Signatures of messages as Stripe writes them: `t=1492774577,v1=5257a8…`. The signature covers the time and the body;
 * while a secret is changed there are several.
 */

/** A message that is older, or from the future, may be a recorded one that is sent again. */
const TOLERANCE = 5 * MINUTE;
const MAX_SIGNATURES = 10;

/** The header for a body that is sent now. */
export function signatureOf(secret: string, body: string, instant = now()): string {
  const time = Math.floor(instant / SECOND);
  return `t=${time},v1=${digest(secret, time, body).toString('hex')}`;
}

/** FORBIDDEN unless the header has a signature of exactly this body within the last five minutes. */
export function assertSigned(secret: string, body: string, header: string | null): void {
  const parts = (header ?? '').split(',', MAX_SIGNATURES).map((part) => part.split('=', 2));
  const time = Number(parts.find(([name]) => name === 't')?.[1]);
  if (!Number.isSafeInteger(time) || Math.abs(now() - time * SECOND) > TOLERANCE)
    throw new PortalError('FORBIDDEN');
  const expected = digest(secret, time, body);
  const isSigned = parts.some(([name, value]) => {
    const bytes = Buffer.from(name === 'v1' ? (value ?? '') : '', 'hex');
    return bytes.length === expected.length && timingSafeEqual(bytes, expected);
  });
  if (!isSigned) throw new PortalError('FORBIDDEN');
}

const digest = (secret: string, time: number, body: string): Buffer =>
  createHmac('sha256', secret).update(`${time}.${body}`).digest();
