import type { Access, Session } from '#features/base/people/people.ts';
import { config } from '#platform/runtime/config.server.ts';

/*
 * Which page views are measured. Pages that are not carry nothing of it.
 */

/**
 * Whether the load time of a page view is measured: by chance, at the rate that the operator chose, where metrics are
 * collected at all. Never for people who ask not to be measured or to save data, where the firm turned it off, and for
 * staff who view as a contact.
 */
export function isSampled(
  { actor, viewing }: Session,
  { headers }: Request,
  chance = Math.random(),
): boolean {
  const { metricsPort, monitoringSampleRate } = config;
  if (metricsPort === undefined || viewing !== undefined) return false;
  if (headers.get('sec-gpc') === '1' || headers.get('save-data') === 'on') return false;
  return mayMeasure(actor.access) && chance * 100 < monitoringSampleRate;
}

/** Whether the firm lets pages be measured, for everybody or for this person. */
export const mayMeasure = ({ controls }: Access): boolean =>
  !controls.has('DisableProductInsight') && !controls.has('DisablePendo');

/** What an entry about the load time of a page says before it is measured: of the address only the words of routes. */
export const timingOf = ({ pathname }: URL) => ({
  specversion: '1.0',
  type: 'timing',
  source: pathname
    .split('/')
    .slice(0, 13)
    .map((part) => (/^[a-z-]{0,24}$/.test(part) ? part : '*'))
    .join('/'),
  id: `${randomPart()}-${randomPart()}`,
  contenttype: 'application/json',
});

const randomPart = (): string => Math.random().toString(36).slice(2, 7).padEnd(5, '0');
