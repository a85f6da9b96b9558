import { Readable } from 'node:stream';
import { keyHolds, parseKey } from '#features/documents/fiscal-xml/keys.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { receiveFiles } from '#features/brazil/fiscal-intake/receiving.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { addDays, dayOf } from '#platform/text/time-zones.ts';

/*
 * The fiscal documents of the bakery in the demo: what it bought and sold in November, a note that was cancelled, one in
 * two copies, one without a protocol, one of another company, and a number that is missing. They are made up.
 */

const BAKERY = { taxId: '99304518000186', name: 'Padaria Sol Nascente Ltda' };
const SELLERS: Readonly<Record<string, string>> = {
  '31550824000169': 'Moinho Boa Safra Ltda',
  '44812095000113': 'Laticínios Campo Alto S.A.',
  '7K3M9P2X000100': 'Forno Novo Equipamentos Ltda',
  '66019348000139': 'Distribuidora Central Ltda',
  [BAKERY.taxId]: BAKERY.name,
};

interface Note {
  key: string;
  day: string;
  item: string;
  quantity: number;
  price: number;
  recipient?: { taxId: string; name: string } | undefined;
  hasProtocol?: boolean;
  note?: string;
}

const FLOUR: Note = {
  key: '35261131550824000169550010000482111102948572',
  day: '2026-11-04',
  item: 'Farinha de trigo tipo 1, saca de 25 kg',
  quantity: 40,
  price: 96.5,
  recipient: BAKERY,
};
const BUTTER: Note = {
  key: '31261144812095000113550020000090341551209348',
  day: '2026-11-06',
  item: 'Manteiga sem sal, balde de 5 kg',
  quantity: 12,
  price: 178,
  recipient: BAKERY,
};
const OVEN: Note = {
  key: '3526117K3M9P2X000100550010000000171701122333',
  day: '2026-11-10',
  item: 'Forno de lastro elétrico',
  quantity: 1,
  price: 18_900,
  recipient: BAKERY,
};
const CANCELLED: Note = {
  key: '35261166019348000139550010000077411334455661',
  day: '2026-11-12',
  item: 'Embalagem para pão, caixa com 1.000',
  quantity: 6,
  price: 84.9,
  recipient: BAKERY,
};

/** A note of almost half a year ago, about which little time is left to decide. */
function oldNote(): Note {
  const day = addDays(dayOf(now(), 'America/Sao_Paulo'), -175);
  const month = day.slice(2, 7).replace('-', '');
  return {
    key: keyFor(`35${month}66019348000139550010000061201180180180`, 6120),
    day,
    item: 'Caixa para bolo, pacote com 100',
    quantity: 20,
    price: 62.4,
    recipient: BAKERY,
  };
}

/** Sends them as the bakery's contact does: the cancellation first, as a supplier's email may bring it. */
export async function bakeryDocuments({ contactId }: Actor, clientId: string): Promise<void> {
  const contact = await actorOf(contactId); // with what was turned on meanwhile
  const receipts = [3001, 3002, 3003, 3005, 3006].map(receipt);
  await send(contact, clientId, { [`${CANCELLED.key}-canc.xml`]: cancellation(CANCELLED) });
  const notes = [FLOUR, BUTTER, OVEN, CANCELLED, ...receipts];
  await send(contact, clientId, Object.fromEntries(notes.map((note) => [`${note.key}.xml`, noteXml(note)])));
  await send(contact, clientId, {
    'copia-manteiga.xml': noteXml({ ...BUTTER, note: 'Entregar pelos fundos' }),
    'sem-protocolo.xml': noteXml({
      ...FLOUR,
      key: keyFor(FLOUR.key, 48_307),
      day: '2026-11-18',
      hasProtocol: false,
    }),
    'outra-empresa.xml': noteXml({
      ...FLOUR,
      key: keyFor(FLOUR.key, 48_315),
      recipient: { taxId: '7K3M9P2X000100', name: 'Forno Novo Equipamentos Ltda' },
    }),
  });
}

/** Sends the note of half a year ago, which needs the day of the clock. */
export async function bakeryOldNote({ contactId }: Actor, clientId: string): Promise<void> {
  const note = oldNote();
  await send(await actorOf(contactId), clientId, { [`${note.key}.xml`]: noteXml(note) });
}

async function send(
  contact: Actor,
  clientId: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const receiver = await receiveFiles(contact, { clientId, source: 'upload' });
  for (const [name, text] of Object.entries(files))
    await receiver.add(name, Readable.from([Buffer.from(text)]));
  await receiver.finish();
}

/** What the bakery sold on a day at its counter. */
const receipt = (number: number): Note => ({
  key: keyFor('35261199304518000186650010000030031400030039', number),
  day: `2026-11-${String(number - 2990).padStart(2, '0')}`,
  item: 'Pão francês, kg',
  quantity: 3 + (number % 4),
  price: 18.9,
});

/** The key with another number, and its check digit. */
function keyFor(key: string, number: number): string {
  const base = key.slice(0, 25) + String(number).padStart(9, '0') + key.slice(34, 43);
  return Array.from({ length: 10 }, (_, digit) => `${base}${digit}`).find(keyHolds) ?? key;
}

function noteXml({ key, day, item, quantity, price, recipient, hasProtocol = true, note }: Note): string {
  const { state, issuer, model, series, number, code, digit } = parseKey(key) ?? {
    state: '',
    issuer: '',
    model: '',
    series: '',
    number: '',
    code: '',
    digit: '',
  };
  const total = (quantity * price).toFixed(2);
  const at = `${day}T10:12:00-03:00`;
  const dest = recipient
    ? `<dest><CNPJ>${recipient.taxId}</CNPJ><xNome>${recipient.name}</xNome></dest>`
    : '';
  const icms = (quantity * price * 0.18).toFixed(2);
  const inf = `<ide><cUF>${state}</cUF><cNF>${code}</cNF><natOp>Venda de mercadoria</natOp><mod>${model}</mod><serie>${Number(series)}</serie><nNF>${Number(number)}</nNF><dhEmi>${at}</dhEmi><tpNF>1</tpNF><tpEmis>1</tpEmis><cDV>${digit}</cDV><tpAmb>1</tpAmb><finNFe>1</finNFe></ide><emit><CNPJ>${issuer}</CNPJ><xNome>${SELLERS[issuer] ?? ''}</xNome></emit>${dest}<det nItem="1"><prod><cProd>1</cProd><xProd>${item}</xProd><uCom>UN</uCom><qCom>${quantity}</qCom><vUnCom>${price.toFixed(2)}</vUnCom><vProd>${total}</vProd></prod><imposto><ICMS><ICMS00><CST>00</CST><vBC>${total}</vBC><pICMS>18.00</pICMS><vICMS>${icms}</vICMS></ICMS00></ICMS></imposto></det><total><ICMSTot><vBC>${total}</vBC><vICMS>${icms}</vICMS><vProd>${total}</vProd><vNF>${total}</vNF></ICMSTot></total>${note === undefined ? '' : `<infAdic><infCpl>${note}</infCpl></infAdic>`}`;
  const protocol = `<protNFe versao="4.00"><infProt><tpAmb>1</tpAmb><chNFe>${key}</chNFe><dhRecbto>${at}</dhRecbto><nProt>${state}126${key.slice(25, 35)}</nProt><cStat>100</cStat><xMotivo>Autorizado o uso da NF-e</xMotivo></infProt></protNFe>`;
  return `<?xml version="1.0" encoding="UTF-8"?><nfeProc versao="4.00" xmlns="http://www.portalfiscal.inf.br/nfe"><NFe><infNFe versao="4.00" Id="NFe${key}">${inf}</infNFe></NFe>${hasProtocol ? protocol : ''}</nfeProc>`;
}

const cancellation = ({ key }: Note): string =>
  `<?xml version="1.0" encoding="UTF-8"?><procEventoNFe versao="1.00" xmlns="http://www.portalfiscal.inf.br/nfe"><evento versao="1.00"><infEvento Id="ID110111${key}01"><cOrgao>35</cOrgao><tpAmb>1</tpAmb><CNPJ>${key.slice(6, 20)}</CNPJ><chNFe>${key}</chNFe><dhEvento>2026-11-12T15:40:00-03:00</dhEvento><tpEvento>110111</tpEvento><nSeqEvento>1</nSeqEvento><detEvento versao="1.00"><descEvento>Cancelamento</descEvento><nProt>35126${key.slice(25, 35)}</nProt><xJust>Pedido em duplicidade</xJust></detEvento></infEvento></evento><retEvento versao="1.00"><infEvento><cStat>135</cStat><xMotivo>Evento registrado e vinculado a NF-e</xMotivo><chNFe>${key}</chNFe><tpEvento>110111</tpEvento><nSeqEvento>1</nSeqEvento><dhRegEvento>2026-11-12T15:40:07-03:00</dhRegEvento><nProt>351260000000042</nProt></infEvento></retEvento></procEventoNFe>`;
