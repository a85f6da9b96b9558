/** The Argentinian Spanish of the starters for Canada. */
export const ca = {
  'British Columbia': 'Columbia Británica',
  'New Brunswick': 'Nuevo Brunswick',
  'Newfoundland and Labrador': 'Terranova y Labrador',
  'Nova Scotia': 'Nueva Escocia',
  'Northwest Territories': 'Territorios del Noroeste',
  Ontario: 'Ontario',
  'Prince Edward Island': 'Isla del Príncipe Eduardo',
  Quebec: 'Quebec',
  'Ask for the social insurance number only after the offer has been accepted.':
    'Pida el número de seguro social recién cuando la oferta haya sido aceptada.',
  'Social insurance number (SIN)': 'Número de seguro social (SIN)',
  'Work permit, if the SIN begins with 9': 'Permiso de trabajo, si el SIN empieza con 9',
  'Province or territory of employment': 'Provincia o territorio de empleo',
  'Vacation pay': 'Pago por vacaciones',
  'Tax forms': 'Formularios impositivos',
  'Federal Form TD1': 'Formulario federal TD1',
  'Provincial or territorial Form TD1': 'Formulario TD1 provincial o territorial',
  'In Quebec: Form TP-1015.3-V.': 'En Quebec: formulario TP-1015.3-V.',
  'Institution number': 'Número de institución',
  'Transit number': 'Número de sucursal (transit)',
  'Void cheque or direct deposit form': 'Cheque anulado o formulario de depósito directo',
  'Province or territory': 'Provincia o territorio',
  'Charged GST/HST': 'Cobró GST/HST',
  'Did you carry out research or development that may qualify for SR&ED?':
    '¿Realizó investigación o desarrollo que pueda dar derecho a SR&ED?',
  'SR&ED: scientific research and experimental development tax incentives':
    'SR&ED: incentivos fiscales para la investigación científica y el desarrollo experimental',
  'Bank, credit card and loan statements at year end':
    'Extractos bancarios, de tarjetas y de préstamos al cierre',
  'Work in progress at year end': 'Trabajos en curso al cierre',
  'Sales tax and payroll': 'Impuesto sobre las ventas y sueldos',
  'GST/HST returns': 'Declaraciones de GST/HST',
  'PST returns': 'Declaraciones de PST',
  'QST returns': 'Declaraciones de QST',
  'T4 and T4A slips and summaries; in Quebec, also RL-1 slips':
    'Comprobantes y resúmenes T4 y T4A; en Quebec, también los RL-1',
  'T5 slips and summary': 'Comprobantes y resumen T5',
  'Records of employment (ROE)': 'Constancias de empleo (ROE)',
  Shareholders: 'Accionistas',
  'Shareholder loan account: what was taken out and paid in':
    'Cuenta particular de los accionistas: lo que se retiró y aportó',
  'Dividends paid: dates, amounts and resolutions': 'Dividendos pagados: fechas, importes y actas',
  'Personal expenses that the company paid: what and how much':
    'Gastos personales que pagó la empresa: qué y cuánto',
  'Changes to the minute book': 'Cambios en el libro de actas',
  'Canada Revenue Agency (CRA)': 'Canada Revenue Agency (CRA)',
  'Instalments paid: statement of account from the CRA': 'Anticipos pagados: estado de cuenta de la CRA',
  'Notices of assessment and other letters':
    'Notificaciones de liquidación (notice of assessment) y otras cartas',
  'Have you authorized us in CRA My Business Account?': '¿Nos autorizó en CRA My Business Account?',
};
