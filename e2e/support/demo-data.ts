import { onPostgres } from '../../tests/support/whole.ts';
import { startPortal } from './portal.ts';

/**
 * Global setup on SQLite and files: makes the demo data once. Each portal with demo data starts with a copy, since making
 * them takes most of its start.
 */
export default async function makeDemoData(): Promise<(() => Promise<void>) | undefined> {
  if (onPostgres) return undefined;
  const portal = await startPortal();
  await portal.halt();
  process.env['E2E_DEMO_DATA'] = portal.folder;
  return portal.stop;
}
