import pino from 'pino';
import { config } from './config.server.ts';

/**
 * One JSON line per event. Ids only: never a name, an address, a file name, a token or a body. What is not on this list of safe
 * fields is not logged; `err` carries code, message and stack.
 */
export const log = pino({
  level: config.logLevel,
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
  serializers: { err: pino.stdSerializers.err },
});
