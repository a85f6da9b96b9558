/*
 * Holidays of the states of Brazil and their capitals (Lei 9.093/1995): each state may set one. They are from general
 * knowledge and not compared with the laws, so that they count with a remark until a firm confirms them. States whose date
 * is a national holiday, or moves to a Sunday, have none here.
 */

/** A state (ISO 3166-2) or a city (IBGE), the day of each year, and the name in Portuguese. */
type LocalHoliday = readonly [where: string, monthDay: string, name: string];

export const LOCAL_HOLIDAYS: readonly LocalHoliday[] = [
  ['BR-AC', '06-15', 'Aniversário do Acre'],
  ['BR-AL', '09-16', 'Emancipação Política de Alagoas'],
  ['BR-AM', '09-05', 'Elevação do Amazonas à categoria de província'],
  ['BR-AP', '09-13', 'Criação do Território do Amapá'],
  ['BR-BA', '07-02', 'Independência da Bahia'],
  ['BR-CE', '03-25', 'Data Magna do Ceará'],
  ['BR-DF', '11-30', 'Dia do Evangélico'],
  ['BR-MA', '07-28', 'Adesão do Maranhão à Independência'],
  ['BR-MS', '10-11', 'Criação do Mato Grosso do Sul'],
  ['BR-PA', '08-15', 'Adesão do Pará à Independência'],
  ['BR-PB', '08-05', 'Fundação do Estado da Paraíba'],
  ['BR-PE', '03-06', 'Data Magna de Pernambuco'],
  ['BR-PI', '10-19', 'Dia do Piauí'],
  ['BR-PR', '12-19', 'Emancipação Política do Paraná'],
  ['BR-RJ', '04-23', 'São Jorge'],
  ['BR-RN', '10-03', 'Mártires de Cunhaú e Uruaçu'],
  ['BR-RO', '01-04', 'Criação do Estado de Rondônia'],
  ['BR-RR', '10-05', 'Criação do Estado de Roraima'],
  ['BR-RS', '09-20', 'Revolução Farroupilha'],
  ['BR-SE', '07-08', 'Emancipação Política de Sergipe'],
  ['BR-SP', '07-09', 'Revolução Constitucionalista'],
  ['BR-TO', '10-05', 'Criação do Estado do Tocantins'],
  ['1100205', '10-02', 'Criação de Porto Velho'],
  ['1200401', '12-28', 'Aniversário de Rio Branco'],
  ['1302603', '10-24', 'Aniversário de Manaus'],
  ['1400100', '07-09', 'Aniversário de Boa Vista'],
  ['1501402', '01-12', 'Aniversário de Belém'],
  ['1600303', '02-04', 'Aniversário de Macapá'],
  ['1721000', '05-20', 'Aniversário de Palmas'],
  ['2111300', '09-08', 'Aniversário de São Luís'],
  ['2211001', '08-16', 'Aniversário de Teresina'],
  ['2304400', '08-15', 'Nossa Senhora da Assunção'],
  ['2408102', '11-21', 'Nossa Senhora da Apresentação'],
  ['2507507', '08-05', 'Aniversário de João Pessoa'],
  ['2611606', '07-16', 'Nossa Senhora do Carmo'],
  ['2704302', '08-27', 'Nossa Senhora dos Prazeres'],
  ['2800308', '03-17', 'Aniversário de Aracaju'],
  ['2927408', '12-08', 'Nossa Senhora da Conceição'],
  ['3106200', '08-15', 'Nossa Senhora da Boa Viagem'],
  ['3205309', '09-08', 'Aniversário de Vitória'],
  ['3304557', '01-20', 'São Sebastião'],
  ['3550308', '01-25', 'Aniversário de São Paulo'],
  ['4106902', '09-08', 'Nossa Senhora da Luz'],
  ['4205407', '03-23', 'Aniversário de Florianópolis'],
  ['4314902', '02-02', 'Nossa Senhora dos Navegantes'],
  ['5002704', '08-26', 'Aniversário de Campo Grande'],
  ['5103403', '04-08', 'Aniversário de Cuiabá'],
  ['5208707', '10-24', 'Aniversário de Goiânia'],
];
