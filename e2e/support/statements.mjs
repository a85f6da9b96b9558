import { DatabaseSync } from 'node:sqlite';

// Loaded before the portal by statements.spec.ts: at SIGUSR2 it prints how many statements were executed since the
// last time, and how many commits waited for the disk.

const FULL = 2;
const { prepare } = DatabaseSync.prototype;
const count = { statements: 0, synced: 0 };
const changes = new WeakMap();

function noteCommit(connection) {
  const total = prepare.call(connection, 'select total_changes() as total').get().total;
  const hasChanged = total !== (changes.get(connection) ?? 0);
  changes.set(connection, total);
  if (hasChanged && prepare.call(connection, 'pragma synchronous').get().synchronous === FULL)
    count.synced += 1;
}

DatabaseSync.prototype.prepare = function (text) {
  const statement = prepare.call(this, text);
  for (const name of ['run', 'all']) {
    const execute = statement[name];
    statement[name] = (...values) => {
      const result = execute.apply(statement, values);
      if (/^(select|with|insert|update|delete)/.test(text)) count.statements += 1;
      if (!text.startsWith('select') && !this.isTransaction && text !== 'rollback') noteCommit(this);
      return result;
    };
  }
  return statement;
};

process.on('SIGUSR2', () => {
  process.stdout.write(`statements ${JSON.stringify(count)}\n`);
  Object.assign(count, { statements: 0, synced: 0 });
});
