import { describe, expect, test } from 'vitest';
import { unusualCounts } from '#features/documents/publishing/evidence.ts';
import { matchFile, type FirmClients } from '#features/documents/publishing/matching.ts';
import { firmOf } from '../../support/firm-clients.ts';

const resultOf = async (firm: FirmClients, name: string, text?: string): Promise<string> => {
  const { clientId = '', problem = 'sure' } = await matchFile(firm, { name, text });
  return [problem, clientId].filter(Boolean).join(' ');
};

describe('names of files', () => {
  const accountants = firmOf({
    '7': { code: '7', name: 'Mercado Sete ME' },
    '11': { code: '11', name: 'Oficina Onze Ltda' },
    '12': { code: '12', name: 'Doze Transportes Urbanos' },
    '45': { code: '45', name: 'Padaria Souza Filial' },
    '46': { code: '46', name: 'Zero Esquerda Ltda', taxId: ['cnpj', '01222333000128'] },
    '47': { code: '47', name: 'Letras Novas SA', taxId: ['cnpj', '12ABC34501DE35'] },
    '1099': { code: '1099', name: 'Formulário Verde' },
    '2026': { code: '2026', name: 'Eventos Vinte e Seis' },
    '7001': { code: '7001', name: 'Willow Dental' },
    '7002': { code: '7002', name: 'Amberly Bakery', tradeName: 'Bread & Butter Café' },
    '01': { code: '01', name: 'Yankee Roofing' },
    sea: { code: '', name: 'São João Comércio Ltda' },
    seb: { code: '', name: 'São João Comércio EIRELI' },
  });

  test.each([
    ['Padaria Souza Filial.pdf', 'sure 45'],
    ['PADARIA_SOUZA_FILIAL.PDF', 'sure 45'],
    ['padaria+souza+filial-holerite.pdf', 'sure 45'],
    ['PadariaSouzaFilial 03.pdf', 'sure 45'],
    ['Folha 11-2026 Padaria Souza Filial.pdf', 'sure 45'],
    ['Folha 10-2026 Padaria Souza Filial.pdf', 'sure 45'],
    ['Balancete 2026-07 Padaria Souza Filial.pdf', 'sure 45'],
    ['Padaria Souza Filial parcela 3 de 12.pdf', 'sure 45'],
    ['Padaria Souza Filial - 7 of 12.pdf', 'sure 45'],
    ['Holerite (7) Padaria Souza Filial.pdf', 'SEVERAL'],
    ['Guia 2026 Oficina Onze Ltda.pdf', 'SEVERAL'],
    ['Guia 11-2026 Oficina Onze.pdf', 'sure 11'],
    ['11 Oficina Onze.pdf', 'sure 11'],
    ['DARF 01.222.333_0001-28 comp 11.2026.pdf', 'sure 46'],
    ['Holerite_01222333000128.pdf', 'sure 46'],
    ['Holerite_01.222.333-0001-28_Zero_Esquerda.pdf', 'sure 46'],
    ['Holerite_1222333000128.pdf', 'CHECK 46'],
    ['nf 12abc34501de35.pdf', 'sure 47'],
    ['NF 12.ABC.345-01DE-35.pdf', 'sure 47'],
    ['Zero Esquerda 11.222.333-0001-81.pdf', 'SEVERAL'],
    ['Recibo 45 parcela 7.pdf', 'CHECK 45'],
    ['11.2026 folha.pdf', 'NO_MATCH'],
    ['Holerite 7.pdf', 'CHECK 7'],
    ['Sete.pdf', 'NO_MATCH'],
    ['Willow Dental 2026.pdf', 'SEVERAL'],
    ['Willow Dental 05-2026.pdf', 'sure 7001'],
    ['Willow Dental W-2 2025.pdf', 'sure 7001'],
    ['Willow Dental Form 1099.pdf', 'sure 7001'],
    ['1099-NEC Willow Dental.pdf', 'sure 7001'],
    ['1099 Willow Dental.pdf', 'SEVERAL'],
    ['Invoice 01 for Willow Dental.pdf', 'SEVERAL'],
    ['7001 Amberly Bakery.pdf', 'SEVERAL'],
    ['7001 Willow Dental.pdf', 'sure 7001'],
    ['0007001_payslip.pdf', 'sure 7001'],
    ['Invoice 7001.pdf', 'CHECK 7001'],
    ['R$ 7001 boleto.pdf', 'CHECK 7001'],
    ['BREAD AND BUTTER CAFE.pdf', 'sure 7002'],
    ['Bread e Butter Cafe\u0301.pdf', 'sure 7002'],
    ['sao joao comercio eireli.pdf', 'sure seb'],
    ['sao joao comercio.pdf', 'SEVERAL'],
    ['sao joao comercio ME.pdf', 'SEVERAL'],
    ['Oficina Onze ME.pdf', 'CHECK 11'],
    ['Oficina Onzena.pdf', 'NO_MATCH'],
    ['contracheque.pdf', 'NO_MATCH'],
  ])('%s: %s', async (name, expected) => {
    expect(await resultOf(accountants, name)).toBe(expected);
  });

  const bakeries = firmOf({
    ash: { name: 'Ashland Bakery LLC' },
    north: { name: 'Ashland Bakery LLC North', code: '8001', isOwn: false },
    dental: { name: 'Ashland Dental LLC', isOwn: false },
    amber: { name: 'Amberly Bakery' },
    south: { name: 'Amberly Bakery South', code: '8002', isArchived: true },
    may: { name: 'May' },
    smith: { name: 'Smith' },
    payroll: { name: 'Payroll' },
    ann: { name: 'Ann' },
    joann: { name: 'Joann Miller' },
    old: { name: 'Copper Kettle Diner', code: '8003', isArchived: true, mergedInto: 'new' },
    new: { name: 'Copper Pot Restaurant', code: '8004' },
  });

  test.each([
    ['Payslip Ashland Bakery LLC.pdf', 'sure ash'],
    ['Payslip Ashland Bakery LLC North.pdf', 'OTHER'],
    ['8001 Ashland Bakery LLC.pdf', 'SEVERAL'],
    ['Payslip Ashland Bakery LLC and Ashland Dental LLC.pdf', 'SEVERAL'],
    ['payslip Amberly Bakery South.pdf', 'ARCHIVED'],
    ['8002 Amberly Bakery.pdf', 'SEVERAL'],
    ['payslip May 2025 John Doe.pdf', 'NO_MATCH'],
    ['May.pdf', 'CHECK may'],
    ['Maria Smith payslip.pdf', 'CHECK smith'],
    ['Payroll register unknown co.pdf', 'CHECK payroll'],
    ['Ann and Joann Miller.pdf', 'SEVERAL'],
    ['Joann Miller.pdf', 'sure joann'],
    ['8003.pdf', 'CHECK new'],
    ['Copper Kettle Diner.pdf', 'CHECK new'],
    ['Copper Pot Restaurant.pdf', 'sure new'],
  ])('clients that are unseen, archived, merged or one word: %s: %s', async (name, expected) => {
    expect(await resultOf(bakeries, name)).toBe(expected);
  });
});

describe('the text of a PDF', () => {
  const firm = firmOf({
    willow: { name: 'Willow Dental', code: '7001', taxId: ['ein', '123456789'] },
    amber: { name: 'Amberly Bakery', code: '7002', taxId: ['cnpj', '11222333000181'] },
    seven: { name: 'Seven Seas Fishing', code: '7' },
    smith: { name: 'Smith', code: '7003' },
    eve: { name: 'Eve Employee', code: '7004', taxId: ['cpf', '52998224725'] },
  });

  test.each([
    ['a name that the text confirms', 'Willow Dental.pdf', 'Payslip\nWillow Dental, Nov 2026', 'sure willow'],
    ['a name while the text names somebody else', 'Willow Dental.pdf', 'Amberly Bakery 2026', 'SEVERAL'],
    ['a name while the text has the tax id of another', 'Willow Dental.pdf', '11.222.333/0001-81', 'SEVERAL'],
    ['a name while the text names nobody', 'Willow Dental.pdf', 'Dear all', 'sure willow'],
    ['a short number that the text confirms', '7 payslip.pdf', 'SEVEN SEAS FISHING', 'sure seven'],
    ['a short number while the text names nobody', '7 payslip.pdf', 'Dear all', 'CHECK seven'],
    ['a short number of a scan', '7 payslip.pdf', undefined, 'CHECK seven'],
    ["a company's tax id in the text only", 'scan0001.pdf', 'CNPJ 11.222.333/0001-81', 'sure amber'],
    ["a person's tax id in the text only", 'scan0001.pdf', 'CPF 529.982.247-25', 'CHECK eve'],
    ['a name in the text only', 'scan0001.pdf', 'Willow Dental', 'CHECK willow'],
    ['nine digits in the text, which can be anything', 'scan0001.pdf', 'No. 123456789', 'NO_MATCH'],
    [
      'a name of one word in the text of another',
      'Willow Dental.pdf',
      'Willow Dental, J. Smith',
      'sure willow',
    ],
    ['a name of one word where nobody else is named', 'Willow Dental.pdf', 'For Smith', 'SEVERAL'],
    ['a number of a client among other numbers', 'Willow Dental.pdf', 'Total 7002', 'sure willow'],
  ])('%s', async (_, name, text, expected) => {
    expect(await resultOf(firm, name, text)).toBe(expected);
  });
});

test('a list that contradicts the name of the file is not decided', async () => {
  const firm = firmOf({ a: { name: 'Willow Dental', code: '1' }, b: { name: 'Amberly Bakery', code: '2' } });
  expect(await matchFile(firm, { name: 'scan.pdf', listed: 'a' })).toMatchObject({ clientId: 'a' });
  expect(await matchFile(firm, { name: 'Amberly Bakery.pdf', listed: 'a' })).toMatchObject({
    clientId: undefined,
    problem: 'SEVERAL',
  });
});

test('a client that gets many more files than the others is unusual', () => {
  const counts = new Map([...Array.from({ length: 9 }, (_, i) => [`c${i}`, 1 + (i % 2)] as const), ['x', 7]]);
  expect(unusualCounts(counts as Map<string, number>)).toEqual(['x']);
  expect(unusualCounts(new Map([['a', 40]]))).toEqual([]);
});
