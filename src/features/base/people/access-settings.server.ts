import {
  ACCESS_CONTROLS,
  FLAGS,
  PERMISSIONS,
  type Access,
  type AccessControl,
  type AccessSetting,
  type Flag,
  type Permission,
  type StaffRole,
} from './people.ts';

/** A control, permission or flag that a feature has beside those of the spec. */
export interface OwnAccessSetting {
  kind: AccessSetting['kind'];
  name: AccessControl | Permission | Flag;
  /** Whether everybody has it unless somebody decides otherwise. */
  isUsual: boolean;
}

let ownSettings: readonly OwnAccessSetting[] = [];

/** Makes those of the features known. Called by src/app.server.ts with what they declare. */
export function declareAccessSettings(settings: readonly OwnAccessSetting[]): void {
  ownSettings = settings;
}

interface NamesByKind {
  control: AccessControl;
  permission: Permission;
  flag: Flag;
}

const SPECIFIED: { [Kind in keyof NamesByKind]: readonly NamesByKind[Kind][] } = {
  control: ACCESS_CONTROLS,
  permission: PERMISSIONS,
  flag: Object.keys(FLAGS) as Flag[],
};

const ownOf = <Kind extends keyof NamesByKind>(kind: Kind, isIncluded = (_: OwnAccessSetting) => true) =>
  ownSettings
    .filter((setting) => setting.kind === kind && isIncluded(setting))
    .map(({ name }) => name as NamesByKind[Kind]);

/** The names of all controls, permissions or flags: those of the spec, then those of the features. */
export function accessNames<Kind extends keyof NamesByKind>(kind: Kind): readonly NamesByKind[Kind][] {
  const specified: readonly NamesByKind[Kind][] = SPECIFIED[kind];
  return [...specified, ...ownOf(kind)];
}

/** The defaults of every contact; staff have the same controls, and permissions by role. */
const FOR_CONTACTS: { controls: readonly AccessControl[]; permissions: readonly Permission[] } = {
  controls: [
    'AddFolder',
    'DocumentDeepLink',
    'TaskDeepLink',
    'ShowClientDocsReadToggle',
    'ShowClientCenterNewTaskList',
  ],
  permissions: ['DefaultClient', 'ccVnext'],
};
const FOR_STAFF: Record<StaffRole, readonly Permission[]> = {
  owner: ['DefaultStaff', 'ccVnext', 'Publish', 'ManageClients', 'ManageContacts', 'ViewAs', 'ManageFirm'],
  manager: ['DefaultStaff', 'ccVnext', 'Publish', 'ManageClients', 'ManageContacts', 'ViewAs'],
  member: ['DefaultStaff', 'ccVnext', 'Publish'],
  reader: ['DefaultStaff', 'ccVnext'],
};
const USUAL_FLAGS: readonly Flag[] = SPECIFIED.flag.filter((name) => FLAGS[name as keyof typeof FLAGS]);

/**
 * Computes somebody's access: the defaults of their role (none for contacts), then the settings for
 * everybody, then their own; later ones win.
 */
export function accessFrom(role: StaffRole | undefined, settings: readonly AccessSetting[]): Access {
  const decided = new Map(settings.map(({ kind, name, granted }) => [`${kind} ${name}`, granted]));
  const held = <Kind extends keyof NamesByKind>(
    kind: Kind,
    usual: readonly NamesByKind[Kind][],
  ): Set<NamesByKind[Kind]> => {
    const byDefault = [...usual, ...ownOf(kind, ({ isUsual }) => isUsual)];
    return new Set(
      accessNames(kind).filter((name) => decided.get(`${kind} ${name}`) ?? byDefault.includes(name)),
    );
  };
  const on = held('flag', USUAL_FLAGS);
  return {
    controls: held('control', FOR_CONTACTS.controls),
    permissions: held('permission', role === undefined ? FOR_CONTACTS.permissions : FOR_STAFF[role]),
    flags: Object.fromEntries(accessNames('flag').map((name) => [name, on.has(name)])) as Record<
      Flag,
      boolean
    >,
  };
}
