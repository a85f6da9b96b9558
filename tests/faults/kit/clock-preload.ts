// Loaded before the portal: it lives at another moment, FAULTS_CLOCK milliseconds from now.
import { moveClock } from '#platform/clock.server.ts';

moveClock(Number(process.env['FAULTS_CLOCK']));
