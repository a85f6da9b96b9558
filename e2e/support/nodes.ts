import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ownPart } from '../../tests/support/services.ts';
import { startBalancer } from './balancer.ts';
import { startPortal } from './portal.ts';

/**
 * Starts two nodes of one portal with the data of the demo, behind a balancer that sends requests nowhere yet. Both start at
 * the same time: one creates the data, the other waits. `startAnother` starts a third; `remove` ends what is left when the
 * nodes are stopped.
 */
export async function startTwoNodes() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'portal-nodes-'));
  const keyFile = path.join(folder, 'portal.key');
  writeFileSync(keyFile, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  const balancer = await startBalancer();
  const shared = {
    ...(await ownPart(folder)),
    KEY_FILE: keyFile,
    PUBLIC_ORIGIN: balancer.origin,
    TRUSTED_PROXIES: '127.0.0.1',
    DEMO: '1',
  };
  const [first, second] = await Promise.all([startPortal(shared), startPortal(shared)]);
  const remove = async (): Promise<void> => {
    await balancer.stop();
    rmSync(folder, { recursive: true });
  };
  return { first, second, balancer, startAnother: () => startPortal(shared), remove };
}
