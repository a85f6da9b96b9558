/** The Canadian French of the starters for Canada. */
export const ca = {
  'British Columbia': 'Colombie-Britannique',
  'New Brunswick': 'Nouveau-Brunswick',
  'Newfoundland and Labrador': 'Terre-Neuve-et-Labrador',
  'Nova Scotia': 'Nouvelle-Écosse',
  'Northwest Territories': 'Territoires du Nord-Ouest',
  Ontario: 'Ontario',
  'Prince Edward Island': 'Île-du-Prince-Édouard',
  Quebec: 'Québec',
  'Ask for the social insurance number only after the offer has been accepted.':
    'Ne demandez le numéro d’assurance sociale qu’une fois l’offre acceptée.',
  'Social insurance number (SIN)': 'Numéro d’assurance sociale (NAS)',
  'Work permit, if the SIN begins with 9': 'Permis de travail, si le NAS commence par 9',
  'Province or territory of employment': 'Province ou territoire d’emploi',
  'Vacation pay': 'Indemnité de vacances',
  'Tax forms': 'Formulaires d’impôt',
  'Federal Form TD1': 'Formulaire TD1 fédéral',
  'Provincial or territorial Form TD1': 'Formulaire TD1 provincial ou territorial',
  'In Quebec: Form TP-1015.3-V.': 'Au Québec : formulaire TP-1015.3.',
  'Institution number': 'Numéro d’institution',
  'Transit number': 'Numéro de transit',
  'Void cheque or direct deposit form': 'Spécimen de chèque ou formulaire de dépôt direct',
  'Province or territory': 'Province ou territoire',
  'Charged GST/HST': 'A facturé la TPS/TVH',
  'Did you carry out research or development that may qualify for SR&ED?':
    'Avez-vous mené des travaux de recherche ou de développement qui pourraient être admissibles à la RS&DE?',
  'SR&ED: scientific research and experimental development tax incentives':
    'RS&DE : encouragements fiscaux pour la recherche scientifique et le développement expérimental',
  'Bank, credit card and loan statements at year end':
    'Relevés de banque, de cartes de crédit et d’emprunt à la fin de l’exercice',
  'Work in progress at year end': 'Travaux en cours à la fin de l’exercice',
  'Sales tax and payroll': 'Taxes de vente et paie',
  'GST/HST returns': 'Déclarations de TPS/TVH',
  'PST returns': 'Déclarations de TVP',
  'QST returns': 'Déclarations de TVQ',
  'T4 and T4A slips and summaries; in Quebec, also RL-1 slips':
    'Feuillets et sommaires T4 et T4A; au Québec, aussi les relevés 1',
  'T5 slips and summary': 'Feuillets et sommaire T5',
  'Records of employment (ROE)': 'Relevés d’emploi (RE)',
  Shareholders: 'Actionnaires',
  'Shareholder loan account: what was taken out and paid in':
    'Compte de prêt aux actionnaires : sommes retirées et remises',
  'Dividends paid: dates, amounts and resolutions': 'Dividendes versés : dates, montants et résolutions',
  'Personal expenses that the company paid: what and how much':
    'Dépenses personnelles payées par la société : quoi et combien',
  'Changes to the minute book': 'Changements au livre des procès-verbaux',
  'Canada Revenue Agency (CRA)': 'Agence du revenu du Canada (ARC)',
  'Instalments paid: statement of account from the CRA':
    'Acomptes provisionnels versés : relevé de compte de l’ARC',
  'Notices of assessment and other letters': 'Avis de cotisation et autres lettres',
  'Have you authorized us in CRA My Business Account?':
    'Nous avez-vous autorisés dans Mon dossier d’entreprise de l’ARC?',
};
