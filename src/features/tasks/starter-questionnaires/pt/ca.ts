/** The Brazilian Portuguese of the starters for Canada. */
export const ca = {
  'British Columbia': 'Colúmbia Britânica',
  'New Brunswick': 'Novo Brunswick',
  'Newfoundland and Labrador': 'Terra Nova e Labrador',
  'Nova Scotia': 'Nova Escócia',
  'Northwest Territories': 'Territórios do Noroeste',
  Ontario: 'Ontário',
  'Prince Edward Island': 'Ilha do Príncipe Eduardo',
  Quebec: 'Quebec',
  'Ask for the social insurance number only after the offer has been accepted.':
    'Só peça o número de seguro social depois que a proposta for aceita.',
  'Social insurance number (SIN)': 'Número de seguro social (SIN)',
  'Work permit, if the SIN begins with 9': 'Permissão de trabalho, se o SIN começar com 9',
  'Province or territory of employment': 'Província ou território do emprego',
  'Vacation pay': 'Pagamento de férias',
  'Tax forms': 'Formulários de imposto',
  'Federal Form TD1': 'Formulário federal TD1',
  'Provincial or territorial Form TD1': 'Formulário TD1 provincial ou territorial',
  'In Quebec: Form TP-1015.3-V.': 'Em Quebec: formulário TP-1015.3-V.',
  'Institution number': 'Número da instituição',
  'Transit number': 'Número da agência (transit)',
  'Void cheque or direct deposit form': 'Cheque cancelado ou formulário de depósito direto',
  'Province or territory': 'Província ou território',
  'Charged GST/HST': 'Cobrou GST/HST',
  'Did you carry out research or development that may qualify for SR&ED?':
    'Você fez pesquisa ou desenvolvimento que possa se enquadrar no SR&ED?',
  'SR&ED: scientific research and experimental development tax incentives':
    'SR&ED: incentivos fiscais à pesquisa científica e ao desenvolvimento experimental',
  'Bank, credit card and loan statements at year end':
    'Extratos bancários, de cartão e de empréstimos no encerramento',
  'Work in progress at year end': 'Trabalhos em andamento no encerramento',
  'Sales tax and payroll': 'Imposto sobre vendas e folha de pagamento',
  'GST/HST returns': 'Declarações de GST/HST',
  'PST returns': 'Declarações de PST',
  'QST returns': 'Declarações de QST',
  'T4 and T4A slips and summaries; in Quebec, also RL-1 slips':
    'Informes e resumos T4 e T4A; em Quebec, também os RL-1',
  'T5 slips and summary': 'Informes e resumo T5',
  'Records of employment (ROE)': 'Registros de emprego (ROE)',
  Shareholders: 'Acionistas',
  'Shareholder loan account: what was taken out and paid in':
    'Conta de empréstimos dos acionistas: o que foi retirado e aportado',
  'Dividends paid: dates, amounts and resolutions': 'Dividendos pagos: datas, valores e deliberações',
  'Personal expenses that the company paid: what and how much':
    'Despesas pessoais pagas pela empresa: o quê e quanto',
  'Changes to the minute book': 'Alterações no livro de atas',
  'Canada Revenue Agency (CRA)': 'Canada Revenue Agency (CRA), a receita federal',
  'Instalments paid: statement of account from the CRA': 'Antecipações pagas: extrato da CRA',
  'Notices of assessment and other letters':
    'Notificações de lançamento (notice of assessment) e outras cartas',
  'Have you authorized us in CRA My Business Account?': 'Você nos autorizou no CRA My Business Account?',
};
