import { DAY } from '../runtime/clock.server.ts';

/** How long the file is valid: less than a year, as RFC 9116 section 2.5.5 advises. */
const VALID_DAYS = 180;

/** The security.txt (RFC 9116) at `instant` in epoch ms; undefined without a configured contact. */
export function securityTxt(
  { origin, securityContacts }: { origin: string; securityContacts: readonly string[] },
  instant: number,
): string | undefined {
  if (securityContacts.length === 0) return undefined;
  const midnight = Math.floor(instant / DAY) * DAY; // stable for a whole day
  const lines = [
    ...securityContacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${new Date(midnight + VALID_DAYS * DAY).toISOString().replace('.000', '')}`,
    'Preferred-Languages: en, es, fr, pt',
    ...(origin.startsWith('https:') ? [`Canonical: ${origin}/.well-known/security.txt`] : []),
  ];
  return `${lines.join('\n')}\n`;
}
