import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/*
 * Digital certificates as ICP-Brasil issues them, of an authority of the tests: made by openssl, with the CNPJ among the
 * alternative names of the subject. They are valid at any time of the tests' clock, unless a test says otherwise.
 */

const folder = mkdtempSync(path.join(tmpdir(), 'portal-certificates-'));
const openssl = (...args: string[]): void => {
  execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
};
const read = (name: string): string => readFileSync(path.join(folder, name), 'utf8');

const ALWAYS = { from: '20200101000000Z', to: '20491231235959Z' };

let isReady = false;
function prepare(): void {
  if (isReady) return;
  isReady = true;
  writeFileSync(
    path.join(folder, 'ca.cnf'),
    `[ca]
default_ca = own
[own]
new_certs_dir = ${folder}
database = ${path.join(folder, 'index.txt')}
serial = ${path.join(folder, 'serial')}
default_md = sha256
policy = any
unique_subject = no
copy_extensions = copy
[any]
commonName = supplied
`,
  );
  writeFileSync(path.join(folder, 'index.txt'), '');
  writeFileSync(path.join(folder, 'serial'), '1000\n');
  openssl(
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'ca.key', '-out', 'ca.pem'],
    ...['-subj', '/CN=AC of the tests', '-days', '3650'],
  );
}

/** The certificate of the authority of the tests, as PEM. */
export function testRoot(): string {
  prepare();
  return read('ca.pem');
}

interface Issued {
  commonName: string;
  /** Alternative names of the subject, as openssl writes them. */
  alternativeNames: string;
  from?: string;
  to?: string;
  key?: readonly string[];
}

/** A key and a certificate, as PEM; the files are `own.key` and `own.pem`. */
export function issue({
  commonName,
  alternativeNames,
  from = ALWAYS.from,
  to = ALWAYS.to,
  key = ['rsa:2048'],
}: Issued): {
  key: string;
  certificate: string;
} {
  prepare();
  openssl(
    ...['req', '-new', '-newkey', ...key, '-nodes', '-keyout', 'own.key', '-out', 'own.csr'],
    ...['-subj', `/CN=${commonName}`],
    ...(alternativeNames === '' ? [] : ['-addext', `subjectAltName=${alternativeNames}`]),
  );
  openssl(
    ...['ca', '-batch', '-config', 'ca.cnf', '-in', 'own.csr', '-out', 'own.pem', '-notext'],
    ...['-keyfile', 'ca.key', '-cert', 'ca.pem', '-startdate', from, '-enddate', to],
  );
  return { key: read('own.key'), certificate: read('own.pem') };
}

export const CERTIFICATE_PASSWORD = 'open sesame';

/** The file of an e-CNPJ of type A1, as most are: with the ciphers that Node itself refuses. */
export function a1Of(
  cnpj: string,
  {
    name = 'PADARIA SOL NASCENTE LTDA',
    password = CERTIFICATE_PASSWORD,
    isLegacy = true,
    isNumberInName = true,
    alternativeNames = `otherName:2.16.76.1.3.4;OCT:01011980529982247250000000000,otherName:2.16.76.1.3.3;OCT:${cnpj}`,
    ...validity
  }: {
    name?: string;
    password?: string;
    isLegacy?: boolean;
    isNumberInName?: boolean;
    alternativeNames?: string;
    from?: string;
    to?: string;
    key?: readonly string[];
  } = {},
): { file: Uint8Array; password: string } {
  issue({ commonName: isNumberInName ? `${name}:${cnpj}` : name, alternativeNames, ...validity });
  openssl(
    ...['pkcs12', '-export', '-inkey', 'own.key', '-in', 'own.pem', '-certfile', 'ca.pem', '-out', 'own.p12'],
    ...['-passout', `pass:${password}`, ...(isLegacy ? ['-legacy'] : [])],
  );
  return { file: readFileSync(path.join(folder, 'own.p12')), password };
}

/** The file of an e-CPF of type A1: the date of birth, the CPF, and zeros for what the person has not told. */
export const a1OfPerson = (
  cpf: string,
  { name = 'JOANA LIMA', ...validity }: { name?: string; from?: string; to?: string } = {},
): { file: Uint8Array; password: string } =>
  a1Of(cpf, {
    name,
    alternativeNames: `otherName:2.16.76.1.3.1;OCT:15031970${cpf}${'0'.repeat(26)},otherName:2.16.76.1.3.6;OCT:${'0'.repeat(12)}`,
    ...validity,
  });

/** A server that refuses certificates of clients as most do: by an alert of TLS. */
export async function startOpensslServer(): Promise<{ url: string; stop: () => void }> {
  issue({ commonName: 'localhost', alternativeNames: 'DNS:localhost,IP:127.0.0.1' });
  const server = spawn(
    'openssl',
    [
      ...['s_server', '-accept', '127.0.0.1:0', '-key', 'own.key', '-cert', 'own.pem', '-CAfile', 'ca.pem'],
      ...['-Verify', '2', '-verify_return_error', '-www'],
    ],
    { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  let output = '';
  while (!/ACCEPT 127\.0\.0\.1:\d+/.test(output)) {
    const [chunk] = (await once(server.stdout, 'data')) as [Buffer];
    output += chunk.toString();
  }
  const [, port = ''] = /ACCEPT 127\.0\.0\.1:(\d+)/.exec(output) ?? [];
  return { url: `https://127.0.0.1:${port}`, stop: () => void server.kill() };
}
