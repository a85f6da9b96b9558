import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import '#features/documents/fiscal-xml/feature.server.ts';
import { plainWords } from '#features/documents/fiscal-xml/plain-words.server.ts';
import { readFiscalXml } from '#features/documents/fiscal-xml/read.server.ts';
import { LANGS, type Lang } from '#platform/text/languages.ts';

const root = path.join(import.meta.dirname, '../../..');
/** What a file says in a language, with plain spaces. */
function wordsOf(file: string, lang: Lang): string[] {
  const read = readFiscalXml(fs.readFileSync(path.join(root, file)));
  const entries = read.kind === 'fiscal' ? read.entries : [];
  return entries.map((entry) => plainWords(lang, entry).replaceAll(/[\u00A0\u202F]/g, ' '));
}

test.each([
  [
    'src/features/demo/demo/files/nfe-1001.xml',
    'pt',
    'Nota fiscal eletrônica (NF-e) nº 1001 de Embalagens Ipê Comércio Ltda para Padaria Sol Nascente Ltda, R$ 3.000,20. Autorizada em 14 de outubro de 2026 às 09:42, conforme o protocolo no arquivo.',
  ],
  [
    'src/features/demo/demo/files/cte-2001.xml',
    'pt',
    'Conhecimento de transporte eletrônico (CT-e) nº 2001 de Transportes Serra Azul Ltda para Padaria Sol Nascente Ltda, R$ 206,40. Autorizado em 14 de outubro de 2026 às 13:20, conforme o protocolo no arquivo.',
  ],
  [
    'src/features/demo/demo/files/cfe-4001.xml',
    'pt',
    'Cupom fiscal eletrônico SAT (CF-e) nº 4001 de PADARIA SOL NASCENTE LTDA, R$ 81,52. Emissão do equipamento; arquivos deste tipo não trazem resposta do fisco.',
  ],
  [
    'tests/cases/nfe-denied-301.xml',
    'en-us',
    'Electronic invoice (NF-e) no. 123 from Alfa Ação & Cia to José, R$10.00. Denied by the tax authority, so it has no effect: 301 Uso Denegado',
  ],
  [
    'tests/cases/nfe-cancel-event.xml',
    'pt',
    'Cancelamento: Nota fiscal eletrônica (NF-e) nº 123, 27 de novembro de 2026 às 12:00. Registro pelo fisco, conforme o arquivo.',
  ],
  [
    'tests/cases/cte-event-desacordo.xml',
    'es',
    'Desacuerdo con la prestación del servicio: Documento de transporte electrónico (CT-e) n.º 45. El archivo no lleva respuesta de la autoridad fiscal, así que no prueba el registro.',
  ],
] as const)('%s is said in plain words', (file, lang, words) => {
  expect(wordsOf(file, lang)).toEqual([words]);
});

test('every language says something of every case, without a gap or a key', () => {
  const files = fs
    .readdirSync(path.join(root, 'tests/cases'))
    .filter((name) => name.endsWith('.xml'))
    .map((name) => `tests/cases/${name}`);
  for (const lang of LANGS)
    for (const words of files.flatMap((file) => wordsOf(file, lang)))
      expect(words).not.toMatch(/\{\{|undefined|NaN|Invalid|  | ,|kind[A-Z]|state[A-Z]/);
});
