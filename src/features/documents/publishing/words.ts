/*
 * Words of names of files, of clients and of texts, in the form in which they are compared. Programs leave out accents,
 * decompose letters, write in capitals and separate words by anything.
 */

export interface Word {
  text: string;
  /** Where it is in the normalized text. */
  start: number;
  end: number;
}

const MARKS = /\p{M}+/gu;
const APOSTROPHES = /['’`´]/gu;
/** `S.A.`, `L.L.C.`: letters with dots are one word. */
const DOTTED = /(?<![\p{L}\p{N}])((?:\p{L}\.)+\p{L})(?![\p{L}\p{N}])\.?/gu;
const SLASHED = /(?<![\p{L}\p{N}])s\/a(?![\p{L}\p{N}])/gu;
const WORD = /[\p{L}\p{N}]+|&/gu;

/** A text without accents, in small letters. */
export const normalized = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(MARKS, '')
    .toLowerCase()
    .replaceAll(APOSTROPHES, '')
    .replaceAll(SLASHED, 'sa')
    .replaceAll(DOTTED, (_, letters: string) => `${letters.replaceAll('.', '')} `);

/** 'and' in the languages of the portal. */
const AND = new Set(['e', 'and', 'y', 'et', '&']);

/** The words of a normalized text. */
export const wordsIn = (text: string): Word[] =>
  [...text.matchAll(WORD)].map(({ 0: word, index }) => ({
    text: AND.has(word) ? '&' : word,
    start: index,
    end: index + word.length,
  }));

const LEGAL_FORMS = new Map(
  [
    ['ltda', 'ltd', 'limitada', 'limited', 'ltee', 'lda'],
    ['inc', 'incorporated'],
    ['co', 'company', 'cia'],
    ['corp', 'corporation'],
    ...[
      'me,epp,mei,eireli,sa,ss,llc,plc,llp,lp,pllc,pc,pa,gmbh',
      'srl,sas,sarl,sasu,eurl,sci,pty,sl,slu,sc,scp',
    ]
      .join(',')
      .split(',')
      .map((form) => [form]),
  ].flatMap((forms) => forms.map((form) => [form, forms[0] ?? form] as const)),
);

/** The legal form that a word is, in one spelling; undefined for other words. */
export const legalForm = (word: string): string | undefined => LEGAL_FORMS.get(word);

/** The extension of a file is not part of its name. */
export const withoutExtension = (fileName: string): string => fileName.replace(/\.[\p{L}\p{N}]{1,5}$/u, '');

const MONTHS = [
  'january february march april may june july august september october november december',
  'jan feb mar apr jun jul aug sep sept oct nov dec',
  'janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro',
  'fev abr mai ago set out dez',
  'enero febrero marzo mayo junio julio septiembre setiembre octubre noviembre diciembre ene dic',
  'janvier fevrier mars avril juin juillet aout septembre octobre novembre decembre janv fevr avr juil',
].flatMap((months) => months.split(' '));

const COMMON = new Set(
  [
    ...MONTHS,
    'payroll payslip payslips paystub pay slip stub salary salaries wage wages tax taxes return returns form forms',
    'invoice invoices receipt receipts statement statements register report reports summary balance sheet ledger',
    'client clients company employee employees copy final draft signed scan scanned document documents doc file',
    'annual monthly weekly quarter quarterly year month period detail details list page pages unknown new old',
    'holerite holerites contracheque folha folhas pagamento pagamentos recibo recibos guia guias darf das gps fgts',
    'inss irrf balancete balanco nota notas fiscal fiscais imposto impostos declaracao relatorio resumo mensal anual',
    'comprovante boleto extrato contrato ferias rescisao salario decimo terceiro parcela competencia comp ref',
    'recibo sueldo sueldos liquidacion nomina factura facturas impuesto declaracion informe resumen',
    'bulletin bulletins paie salaire fiche facture factures impot declaration releve avis cotisation',
    'of the for to from in de da do das dos del la las los le les du des para por con com pour avec & a o um una un',
  ].flatMap((words) => words.split(' ')),
);

/** Whether many files have this word, whoever they are for. */
export const isCommonWord = (word: string): boolean =>
  COMMON.has(word) || word.length < 2 || /^\d+$/.test(word);

const FORMS = new Set(
  [
    '1040 1041 1042 1042s 1065 1094 1095 1095a 1095b 1095c 1096 1097 1098 1099 1120 1120s 1125 2290 2553 2848 3115',
    '3520 3921 4506 4562 4797 4868 4952 5471 5472 5498 5500 6251 7004 7200 8300 8332 8453 8582 8802 8809 8821 8822',
    '8825 8829 8832 8868 8879 8938 8949 8962 8995 926 940 941 943 944 945 990 w2 w3 w4 w7 w8 w9 k1 t1 t2 t4 t4a t5',
    'p11d p14 p45 p60 sa100 2044 2065 2072 3519 0561 0588 1082 1708 2089 2172 2372 3208 5856 5952 6912 8109',
  ].flatMap((forms) => forms.split(' ')),
);

export const isFormNumber = (word: string): boolean => FORMS.has(word) || FORMS.has(word.replace(/^0+/, ''));

const YEAR = '(?:19|20)\\d\\d';
const MONTH = '(?:0[1-9]|1[0-2])';
const DAY = '(?:0[1-9]|[12]\\d|3[01])';
const SHORT_YEAR = '(?:1[5-9]|2\\d|3\\d)';
const DATE_NUMBER = new RegExp(
  `^(?:${[
    YEAR,
    `${MONTH}${SHORT_YEAR}`,
    `${SHORT_YEAR}${MONTH}`,
    `${DAY}${MONTH}`,
    `${MONTH}${DAY}`,
    `${YEAR}${MONTH}`,
    `${MONTH}${YEAR}`,
    `${DAY}${MONTH}${SHORT_YEAR}`,
    `${MONTH}${DAY}${SHORT_YEAR}`,
    `${SHORT_YEAR}${MONTH}${DAY}`,
    `${YEAR}${MONTH}${DAY}`,
    `${DAY}${MONTH}${YEAR}`,
    `${MONTH}${DAY}${YEAR}`,
  ].join('|')})(?:\\d{4}|\\d{6})?$`,
);

/** Whether digits can be a year, a month and a year, or a date, perhaps with a time. */
export const isDateNumber = (digits: string): boolean => DATE_NUMBER.test(digits);

const MONTH_NAME = `(?:${MONTHS.toSorted((a, b) => b.length - a.length).join('|')})`;
const ANY = '[\\s._+/-]{1,3}';
const MAYBE = '[\\s._+/-]{0,3}';
const TIGHT = '[._/-]';
const OF = `(?:${ANY}(?:de|of|sur|d))?`;
const LETTER_FORM = '(?:nec|misc|int|div|oid|k|r|b|g|s|a|c|q)';
const COUNTED =
  '(?:parcela|parc|cuota|versement|prestacao|installment|instalment|part|parte|partie|page|pagina|pag|pg|version|versao|ver|rev|via|copy|copia|copie|v)';

/** Dates, quarters, forms, instalments, pages, versions: what says so itself. */
const UNMISTAKABLE = [
  `${YEAR}${ANY}${MONTH}(?:${ANY}${DAY})?`,
  `(?:${DAY}${ANY})?${MONTH}${ANY}${YEAR}`,
  `${MONTH}${ANY}${DAY}${ANY}${YEAR}`,
  `(?:[1-9]|1[0-2])${TIGHT}${YEAR}`,
  `${YEAR}${TIGHT}(?:[1-9]|1[0-2])`,
  `${DAY}${TIGHT}${MONTH}${TIGHT}${SHORT_YEAR}`,
  `(?:${DAY}${OF}${ANY})?${MONTH_NAME}${OF}${MAYBE}(?:\\d{1,2},?${ANY})?(?:${YEAR}|${SHORT_YEAR})`,
  `${YEAR}${MAYBE}${MONTH_NAME}`,
  `(?:comp|competencia|ref|mes|month|period|periodo)${MAYBE}${MONTH}(?:${TIGHT}(?:${YEAR}|${SHORT_YEAR}))?`,
  `(?:q|t|tri|trim|quarter|trimestre)${MAYBE}[1-4](?:${MAYBE}${YEAR})?`,
  `[1-4](?:o|er|e|st|nd|rd|th)?${MAYBE}(?:q|t|tri|trim|quarter|trimestre)(?:${OF}${MAYBE}${YEAR})?`,
  `${YEAR}${MAYBE}(?:q|t)[1-4]`,
  `(?:form|forms|formulario|formulaire)${ANY}(?:94[0-5]|990|1040|1041|1065|1096|1098|1099|1120s?|w${MAYBE}[2349])`,
  `1099${MAYBE}${LETTER_FORM}`,
  `w${MAYBE}[2349]`,
  `${COUNTED}${MAYBE}\\d{1,3}(?:${MAYBE}(?:de|of|sur|/)${MAYBE}\\d{1,3})?`,
  `\\d{1,3}${ANY}(?:de|of|sur)${ANY}\\d{1,3}`,
].map((pattern) => new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`, 'gu'));

/** The parts of a normalized text that are dates, forms or counters and so name no client. */
export const unmistakableParts = (text: string): { start: number; end: number }[] =>
  UNMISTAKABLE.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ 0: part, index }) => ({ start: index, end: index + part.length })),
  );

const NUMBERED = new Set(
  [
    'invoice inv bill receipt order po check cheque batch page pg v rev seq no nr num number numero',
    'nf nfe nfse nfce nota fatura boleto recibo guia darf gps das gare lote pedido pagina pag parcela versao codigo',
    'factura recibo cuota orden facture recu lote avis numero version n protocolo processo',
  ].flatMap((words) => words.split(' ')),
);

/** Whether the number after this word counts something else than clients. */
export const isCounterWord = (word: string): boolean => NUMBERED.has(word);
