import { once } from 'node:events';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { connectionProblem, isUntrusted } from '#platform/http/connection-problems.server.ts';

const withCode = (code: string, cause?: unknown): Error =>
  Object.assign(new Error('failed', { cause }), { code });
/** What fetch reports: the reason is the cause. */
const failed = (url: string) => fetch(url).catch((error: unknown) => error);

test('a connection that nothing accepts is told from one that is closed', async () => {
  const server = net.createServer((socket) => socket.destroy());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  expect(connectionProblem(await failed(`http://127.0.0.1:${port}/`))).toMatch(/^the connection was closed/);
  server.close();
  await once(server, 'close');
  expect(connectionProblem(await failed(`http://127.0.0.1:${port}/`))).toBe(
    'nothing listens there (ECONNREFUSED)',
  );
});

test.each([
  ['ENOTFOUND', 'no machine has this name (ENOTFOUND)'],
  ['CERT_HAS_EXPIRED', 'its certificate has expired (CERT_HAS_EXPIRED)'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another name (ERR_TLS_CERT_ALTNAME_INVALID)'],
])('the code %s is found in an error, its cause and the tries that it joins', (code, problem) => {
  expect(connectionProblem(withCode(code))).toBe(problem);
  expect(connectionProblem(new TypeError('fetch failed', { cause: withCode(code) }))).toBe(problem);
  expect(connectionProblem(new AggregateError([withCode('OTHER'), withCode(code)]))).toBe(problem);
});

test('a certificate of an unknown authority is told from one that is wrong, and has a remedy', () => {
  const untrusted = new TypeError('fetch failed', { cause: withCode('UNABLE_TO_VERIFY_LEAF_SIGNATURE') });
  expect(isUntrusted(untrusted)).toBe(true);
  expect(connectionProblem(untrusted)).toContain('set NODE_EXTRA_CA_CERTS');
  expect(isUntrusted(withCode('CERT_HAS_EXPIRED'))).toBe(false);
});

test('no answer in time is said, and an error of another kind is not explained', () => {
  expect(connectionProblem(new DOMException('The operation timed out.', 'TimeoutError'))).toBe(
    'no answer came in time (ETIMEDOUT)',
  );
  expect(connectionProblem(new Error('something else'))).toBeUndefined();
  expect(connectionProblem(undefined)).toBeUndefined();
});
