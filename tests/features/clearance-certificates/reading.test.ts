import { describe, expect, test } from 'vitest';
import { agencyOf } from '#features/brazil/clearance-certificates/agencies.ts';
import { isAgency } from '#features/brazil/clearance-certificates/agency-names.server.ts';
import {
  lightOf,
  nextNoticeOn,
  renewalOf,
  stageOn,
  type Current,
} from '#features/brazil/clearance-certificates/lights.ts';
import { readCertificate } from '#features/brazil/clearance-certificates/reading.ts';
import '../../../src/app.server.ts';

const CNPJ = '99304518000186';

describe('the text of a certificate', () => {
  test('of the federal tax office says result, control code and both days', () => {
    const text = `MINISTÉRIO DA FAZENDA
      Secretaria da Receita Federal do Brasil
      CERTIDÃO NEGATIVA DE DÉBITOS RELATIVOS AOS TRIBUTOS FEDERAIS E À DÍVIDA ATIVA DA UNIÃO
      Nome: PADARIA SOL NASCENTE LTDA
      CNPJ: 99.304.518/0001-86
      Esta certidão é válida para o estabelecimento matriz e suas filiais.
      Emitida às 10:11:12 do dia 01/10/2026 <hora e data de Brasília>.
      Válida até 30/03/2027.
      Código de controle da certidão: 4F2A.90C1.77DE.08B3`;
    expect(readCertificate(text)).toEqual({
      agency: 'federal',
      cnpjs: [CNPJ],
      cpfs: [],
      result: 'negative',
      number: '',
      controlCode: '4F2A.90C1.77DE.08B3',
      issuedOn: '2026-10-01',
      validUntil: '2027-03-30',
    });
  });

  test('of a person has the CPF', () => {
    const text = `CERTIDÃO NEGATIVA DE DÉBITOS RELATIVOS AOS TRIBUTOS FEDERAIS E À DÍVIDA ATIVA DA UNIÃO
      Nome: JOANA LIMA
      CPF: 529.982.247-25
      Emitida às 10:11:12 do dia 01/10/2026 <hora e data de Brasília>.
      Válida até 30/03/2027.`;
    expect(readCertificate(text)).toMatchObject({ agency: 'federal', cnpjs: [], cpfs: ['52998224725'] });
  });

  test('of FGTS has the days as a range, and is always without debts', () => {
    const text = `Certificado de Regularidade do FGTS - CRF
      Inscrição: 99.304.518/0001-86
      Razão Social: PADARIA SOL NASCENTE LTDA
      Validade:05/11/2026 a 04/12/2026
      Certificação Número: 2026110501284719203641
      Informação obtida em 05/11/2026 10:12:34`;
    expect(readCertificate(text)).toMatchObject({
      agency: 'fgts',
      cnpjs: [CNPJ],
      result: 'negative',
      number: '2026110501284719203641',
      issuedOn: '2026-11-05',
      validUntil: '2026-12-04',
    });
  });

  test('of the labor courts says the number of the certificate', () => {
    const text = `PODER JUDICIÁRIO JUSTIÇA DO TRABALHO
      CERTIDÃO NEGATIVA DE DÉBITOS TRABALHISTAS
      Nome: PADARIA SOL NASCENTE LTDA (MATRIZ E FILIAIS)
      CNPJ: 99.304.518/0001-86
      Certidão nº: 41907733/2026
      Expedição: 01/11/2026, às 10:12:13
      Validade: 30/04/2027 - 180 (cento e oitenta) dias, contados da data de sua expedição.`;
    expect(readCertificate(text)).toMatchObject({
      agency: 'labor',
      result: 'negative',
      number: '41907733/2026',
      issuedOn: '2026-11-01',
      validUntil: '2027-04-30',
    });
  });

  test.each([
    ['CERTIDÃO POSITIVA COM EFEITOS DE NEGATIVA DE DÉBITOS RELATIVOS AOS TRIBUTOS', 'positiveWithEffect'],
    ['CERTIDÃO POSITIVA DE DÉBITOS TRABALHISTAS\nCOM EFEITO DE NEGATIVA', 'positiveWithEffect'],
    ['CERTIDÃO POSITIVA DE DÉBITOS TRABALHISTAS', 'positive'],
    ['CERTIDAO NEGATIVA DE TRIBUTOS MUNICIPAIS', 'negative'],
    ['CERTIDÃO DE DÉBITOS NEGATIVA', 'negative'],
    ['Comprovante de inscrição', undefined],
  ])('with the title “%s” has its result', (title, result) => {
    expect(readCertificate(title).result).toBe(result);
  });

  test.each([
    ['Validade: 31/02/2027', ''],
    ['Data de validade: 28/02/2027', '2027-02-28'],
    ['válido até o dia 05/01/2027', '2027-01-05'],
    ['Validade 6 (seis) meses', ''],
  ])('with “%s” has the day that exists', (text, validUntil) => {
    expect(readCertificate(text).validUntil).toBe(validUntil);
  });

  test('finds a CNPJ with letters, and none with a wrong check digit', () => {
    expect(readCertificate('CNPJ 7K.3M9.P2X/0001-00').cnpjs).toEqual(['7K3M9P2X000100']);
    expect(readCertificate('CNPJ 99.304.518/0001-87').cnpjs).toEqual([]);
  });

  test('of a scan says nothing', () => {
    expect(readCertificate('')).toEqual({
      agency: undefined,
      cnpjs: [],
      cpfs: [],
      result: undefined,
      number: '',
      controlCode: '',
      issuedOn: '',
      validUntil: '',
    });
  });
});

describe('a light', () => {
  const current: Current = { result: 'negative', validUntil: '2026-12-20', renewOn: '2026-12-05' };

  test.each([
    ['2026-12-04', 'valid'],
    ['2026-12-05', 'expiring'],
    ['2026-12-20', 'expiring'],
    ['2026-12-21', 'expired'],
  ])('on %s is %s: the last day is included', (today, light) => {
    expect(lightOf(current, today)).toBe(light);
  });

  test('of debts stays whatever the day, and without a certificate there is none', () => {
    expect(lightOf({ result: 'positive', validUntil: '', renewOn: '' }, '2026-12-01')).toBe('positive');
    expect(lightOf({ result: '', validUntil: '', renewOn: '' }, '2026-12-01')).toBe('missing');
    expect(renewalOf({ result: 'positive', validUntil: '2026-12-20' }, 15)).toBe('');
  });

  test('is followed by three notices, each on its day', () => {
    expect(nextNoticeOn(current)).toBe('2026-12-05');
    expect(stageOn(current, '2026-12-04')).toBeUndefined();
    expect(stageOn(current, '2026-12-05')).toBe('soon');
    expect(nextNoticeOn(current, 'soon')).toBe('2026-12-17');
    expect(stageOn(current, '2026-12-17')).toBe('last');
    expect(nextNoticeOn(current, 'last')).toBe('2026-12-21');
    expect(stageOn(current, '2026-12-21')).toBe('lapsed');
    expect(nextNoticeOn(current, 'lapsed')).toBe('');
  });
});

test.each([
  ['federal', true],
  ['state-SP', true],
  ['state-XX', false],
  ['state-constructor', false],
  ['city-3550308', true],
  ['city-3550309', false],
  ['city-SP', false],
  ['toString', false],
  ['', false],
])('the id “%s” is of an agency: %s', (id, is) => {
  expect(isAgency(id)).toBe(is);
  if (is) expect(agencyOf(id)).toBeDefined();
});
