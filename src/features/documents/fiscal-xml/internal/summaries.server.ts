import type { FiscalDocument, Proof } from '../fiscal-xml.ts';
import { keyHolds, parseKey } from '../keys.ts';
import { OPERATION } from './choices.server.ts';
import { inOrder, plainNumber } from './documents.server.ts';
import { factsOf, othersIn } from './fields.server.ts';
import { AUTHORITY_NOT_ASKED } from './proofs.server.ts';
import { totalsOf } from './totals.server.ts';
import { firstText, text, type XmlElement } from '../xml.server.ts';

/** resNFe: what the authority tells a recipient before the whole file. */
export function readSummary(_: XmlElement, res: XmlElement): FiscalDocument {
  const key = text(res, 'chNFe');
  const parts = parseKey(key);
  const states = { 1: 'authorized', 2: 'denied', 3: 'cancelled' } as const;
  const status = text(res, 'cSitNFe');
  const keyProof: Proof = keyHolds(key)
    ? { result: 'proven', text: 'keyRight' }
    : { result: 'wrong', text: 'keyWrong' };
  return {
    kind: parts?.model === '65' ? 'NFC-e' : 'NF-e',
    isSummary: true,
    key,
    keyHolds: keyHolds(key),
    number: plainNumber(parts?.number ?? ''),
    series: plainNumber(parts?.series ?? ''),
    nature: '',
    issuedAt: text(res, 'dhEmi'),
    isTest: false,
    state: status === '1' || status === '2' || status === '3' ? states[status] : 'unproven',
    stateAt: text(res, 'dhRecbto'),
    signature: { state: 'none' },
    proofs: inOrder([keyProof, { result: 'open', text: 'summaryOnly' }, AUTHORITY_NOT_ASKED]),
    facts: factsOf(res, [
      ['operation', 'tpNF', OPERATION],
      ['protocol', 'nProt'],
    ]),
    parties: [
      {
        role: 'issuer',
        name: text(res, 'xNome'),
        taxId: firstText(res, 'CNPJ', 'CPF'),
        stateId: text(res, 'IE'),
        address: '',
        isTaker: false,
        facts: [],
      },
    ],
    items: [],
    itemsLeftOut: 0,
    totals: totalsOf({}, text(res, 'vNF')),
    sections: [],
    qrCode: '',
    notes: [],
    events: [],
    others: othersIn(res),
  };
}
