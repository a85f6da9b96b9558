import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { Crowd, Crowded, Link, Made, Shared, Timed, World } from '../world.ts';
import { portalEnvironment } from './portal.ts';

interface Answers {
  make: World;
  crowd: Crowd;
  share: Link;
  tree: number;
}

/** Has world.ts execute a command on the data in `folder`, or in the database that `given` names. */
export function inWorld<Order extends Made | Crowded | Shared | Timed>(
  folder: string,
  order: Order,
  given: Record<string, string> = {},
): Answers[Order['do']] {
  const program = path.join(import.meta.dirname, '../world.ts');
  const env = { ...process.env, ...portalEnvironment(folder), LOG_LEVEL: 'error', ...given };
  return JSON.parse(
    execFileSync(process.execPath, ['--no-experimental-webstorage', program, JSON.stringify(order)], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  ) as Answers[Order['do']];
}
