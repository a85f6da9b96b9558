import { counts } from '../../tests/support/statements.ts';

// Loaded before the portal by statements.spec.ts: prints at SIGUSR2 how many statements were executed since the start,
// and how many commits waited for the disk.
process.on('SIGUSR2', () => process.stdout.write(`statements ${JSON.stringify(counts)}\n`));
