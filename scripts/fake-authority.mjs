import { writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { a1Of } from '../tests/support/digital-certificates.ts';
import { keyHolds } from '../src/features/documents/fiscal-xml/keys.ts';
import { startTaxAuthority, summaryXml } from '../tests/support/tax-authority.ts';

// Starts the tax authority of the tests, with invoices for one company. Usage: npm run fake-authority [-- CNPJ]
const [cnpj = '99304518000186'] = process.argv.slice(2);
const folder = await mkdtemp(path.join(tmpdir(), 'fake-authority-'));
const authority = await startTaxAuthority();
const { file, password } = a1Of(cnpj);
const [roots, certificate] = ['roots.pem', 'company.p12'].map((name) => path.join(folder, name));
writeFileSync(roots, authority.root);
writeFileSync(certificate, file, { mode: 0o600 });
const issuedAt = `${new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)}T10:00:00-03:00`;
const MILL = '31550824000169';

/** The access key of an invoice of the mill, whose last digit makes it right. */
function keyOf(number) {
  const month = issuedAt.slice(2, 7).replace('-', '');
  const base = `35${month}${MILL}55001${String(number).padStart(9, '0')}112345678`;
  return [...'0123456789'].map((digit) => base + digit).find(keyHolds) ?? '';
}

for (let number = 1; number <= 3; number += 1) {
  const key = keyOf(number);
  authority.invoices.set(key, { recipient: cnpj, authorizedAt: Date.parse(issuedAt) });
  authority.publish(cnpj, 'resNFe_v1.01.xsd', summaryXml({ key, issuer: MILL, issuedAt }));
}
process.stdout.write(`The authority has 3 invoices for the company ${cnpj}. Start a portal with

  TAX_AUTHORITY=test TAX_AUTHORITY_URL=${authority.url} TAX_AUTHORITY_ROOTS=${roots} npm start

and store ${certificate} for a client with this CNPJ; its password is “${password}”. Ctrl-C stops it.
`);
