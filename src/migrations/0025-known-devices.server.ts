import type { SchemaChange } from './schema-change.server.ts';

export const knownDevices: SchemaChange = {
  sqlite: [
    `drop table known_networks`,
    `create table known_devices (device_key text primary key, prism_guid text not null references users, last_at bigint not null)`,
    `create index known_devices_by_age on known_devices (last_at)`,
    `create index known_devices_of_user on known_devices (prism_guid)
`,
  ],
  postgres: [
    `drop table known_networks`,
    `create table known_devices (device_key text collate "C" primary key, prism_guid text collate "C" not null references users, last_at bigint not null)`,
    `create index known_devices_by_age on known_devices (last_at)`,
    `create index known_devices_of_user on known_devices (prism_guid)`,
  ],
};
