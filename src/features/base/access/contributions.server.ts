import type { OwnAccessSetting } from '#features/base/people/access-settings.server.ts';
import type { AccessControl, Area, Flag, Permission } from '#features/base/people/people.ts';
import { contributed } from '#platform/runtime/feature.server.ts';
import type { Text } from '#platform/text/texts.ts';
import type { AccessEntry } from './access.ts';

/** The sections of the page of permissions, in order. */
export type AccessGroup = 'areas' | 'documents' | 'tasks' | 'actions' | 'account' | 'team' | 'support';

/** How the page of permissions shows a setting: by what the person sees, with a state that is never a double negative. */
export interface AccessRow {
  group: AccessGroup;
  order: number;
  label: Text;
  /** Whether its state reads as shown or hidden instead of on or off. */
  isShown?: true;
  /** Granting it hides or switches off what the label says. */
  isInverted?: true;
  /** Another setting for the same thing: listed only with the value that matters, or while it is set for the person. */
  secondWhen?: boolean;
  /** Without these actions it changes nothing, so then it is listed only while the firm has set it. */
  needs?: Area;
  /** Listed only for the team, or only for others. */
  isForTeam?: boolean;
}

/** A control, permission or flag that has an effect in a feature. */
interface EnforcedSetting {
  name: AccessControl | Permission | Flag;
  /** What it controls, in the page and on the server, and where. tests/features/access/places.test.ts tries each. */
  place: string;
  /** Not listed without one. */
  row?: AccessRow;
  /** Of one that the spec does not have; a flag says what it enables, for those who set it through the API. */
  own?:
    | { kind: 'control' | 'permission'; isUsual: boolean }
    | { kind: 'flag'; isUsual: boolean; description: string };
}

declare module '#platform/runtime/feature.server.ts' {
  interface Contributions {
    /** The controls, permissions and flags that it enforces. */
    access: readonly EnforcedSetting[];
  }
}

/** All that have an effect, in the order of the features. */
export const enforcedSettings = (): EnforcedSetting[] => contributed('access').flat();

/** Those that the spec does not have. */
export const ownSettingsOf = (settings: readonly EnforcedSetting[]): OwnAccessSetting[] =>
  settings.flatMap(({ name, own }) => (own ? [{ name, kind: own.kind, isUsual: own.isUsual }] : []));

/** What a flag of a feature enables. */
export function ownDescriptionOf(flag: Flag): string {
  const own = enforcedSettings().find(({ name }) => name === flag)?.own;
  return own?.kind === 'flag' ? own.description : '';
}

/**
 * Settings of the spec without an effect: `later` ones belong to a feature that does not exist yet, by the folder that
 * it will have; `never` ones control something that this portal does not have.
 */
export const NOT_ENFORCED: Partial<
  Readonly<Record<string, { later: 'issues' | 'data-rooms' } | { never: string }>>
> = {
  TaskDeepLink: { never: 'every task is a page with an address of its own' },
  CurrentDevelopment: { never: 'no part of this portal is shown to a few people first' },
  ForceDataRoom: { later: 'data-rooms' },
  ClientFlow: { later: 'data-rooms' },
  taskTools: { never: 'this portal has no tools for testing tasks' },
  internalTools: { never: 'this portal has no tools for its developers' },
};

export function effectOf(name: string): AccessEntry['effect'] {
  if (enforcedSettings().some((setting) => setting.name === name)) return 'now';
  return 'later' in (NOT_ENFORCED[name] ?? {}) ? 'later' : 'never';
}
