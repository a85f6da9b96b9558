import type { Lang } from '#platform/text/languages.ts';

/** What somebody is asked. */
interface Request {
  title: string;
  message: string;
  files: readonly string[];
  question: string;
}

/** What a practice firm begins with. Nobody of it exists. */
export interface PracticeStory {
  /** The owner of both companies, and an individual. */
  people: readonly [owner: string, individual: string];
  business: string;
  other: string;
  folder: string;
  /** The file is one of the demo's. */
  documents: readonly { file: string; name: string; isByClient?: true }[];
  overdue: Request;
  answered: Request;
  open: Request;
  message: string;
}

const english: PracticeStory = {
  people: ['Robin Example', 'Kim Sample'],
  business: 'Example Bakery',
  other: 'Example Transport',
  folder: 'Monthly documents',
  documents: [
    { file: 'payroll-summary-october.pdf', name: 'Payroll summary.pdf' },
    { file: 'bank-statement-september.pdf', name: 'Bank statement.pdf', isByClient: true },
    { file: 'receipt-photo.jpg', name: 'Receipt.jpg', isByClient: true },
  ],
  overdue: {
    title: 'Payroll changes',
    message: 'Please tell us what has changed since last month.',
    files: ['Timesheets'],
    question: 'Who joined or left?',
  },
  answered: {
    title: 'Annual return',
    message: 'We need these to prepare your return.',
    files: ['Bank statements'],
    question: 'Did you move this year?',
  },
  open: {
    title: 'Monthly documents',
    message: 'We need these to close the month.',
    files: ['Bank statements', 'Receipts'],
    question: 'Was there anything unusual?',
  },
  message: 'Is it enough if we send the timesheets on Monday?',
};

const portuguese: PracticeStory = {
  people: ['Rita Exemplo', 'Caio Modelo'],
  business: 'Padaria Exemplo',
  other: 'Transportes Exemplo',
  folder: 'Documentos do mês',
  documents: [
    { file: 'folha-de-pagamento-outubro.pdf', name: 'Folha de pagamento.pdf' },
    { file: 'balancete-outubro-2026.pdf', name: 'Balancete.pdf' },
    { file: 'receipt-photo.jpg', name: 'Recibo.jpg', isByClient: true },
  ],
  overdue: {
    title: 'Alterações da folha',
    message: 'Informe o que mudou desde o mês passado.',
    files: ['Folhas de ponto'],
    question: 'Quem entrou ou saiu?',
  },
  answered: {
    title: 'Declaração anual',
    message: 'Precisamos destes documentos para preparar a sua declaração.',
    files: ['Informes de rendimentos do banco'],
    question: 'Você mudou de endereço este ano?',
  },
  open: {
    title: 'Documentos do mês',
    message: 'Precisamos destes documentos para fechar o mês.',
    files: ['Extratos bancários', 'Recibos'],
    question: 'Houve algo fora do comum?',
  },
  message: 'Podemos enviar as folhas de ponto na segunda-feira?',
};

const spanish: PracticeStory = {
  people: ['Elena Ejemplo', 'Bruno Modelo'],
  business: 'Panadería Ejemplo',
  other: 'Transportes Ejemplo',
  folder: 'Documentos del mes',
  documents: [
    { file: 'payroll-summary-october.pdf', name: 'Resumen de sueldos.pdf' },
    { file: 'bank-statement-september.pdf', name: 'Extracto bancario.pdf', isByClient: true },
    { file: 'receipt-photo.jpg', name: 'Recibo.jpg', isByClient: true },
  ],
  overdue: {
    title: 'Novedades de sueldos',
    message: 'Indique qué cambió desde el mes pasado.',
    files: ['Partes de horas'],
    question: '¿Quién ingresó o se fue?',
  },
  answered: {
    title: 'Declaración anual',
    message: 'Necesitamos estos documentos para preparar su declaración.',
    files: ['Resúmenes de su banco'],
    question: '¿Se mudó este año?',
  },
  open: {
    title: 'Documentos del mes',
    message: 'Necesitamos estos documentos para cerrar el mes.',
    files: ['Extractos bancarios', 'Recibos'],
    question: '¿Hubo algo fuera de lo común?',
  },
  message: '¿Podemos enviar los partes de horas el lunes?',
};

const french: PracticeStory = {
  people: ['Claire Exemple', 'Hugo Modèle'],
  business: 'Boulangerie Exemple',
  other: 'Transports Exemple',
  folder: 'Documents du mois',
  documents: [
    { file: 'releve-fiscal-2025.pdf', name: 'Relevé fiscal.pdf' },
    { file: 'bank-statement-september.pdf', name: 'Relevé bancaire.pdf', isByClient: true },
    { file: 'receipt-photo.jpg', name: 'Reçu.jpg', isByClient: true },
  ],
  overdue: {
    title: 'Changements pour la paie',
    message: 'Indiquez ce qui a changé depuis le mois dernier.',
    files: ['Feuilles de temps'],
    question: 'Qui est arrivé ou parti?',
  },
  answered: {
    title: 'Déclaration annuelle',
    message: 'Ces documents servent à préparer votre déclaration.',
    files: ['Relevés de votre banque'],
    question: 'Avez-vous déménagé cette année?',
  },
  open: {
    title: 'Documents du mois',
    message: 'Ces documents servent à clore le mois.',
    files: ['Relevés bancaires', 'Reçus'],
    question: 'Y a-t-il eu quelque chose d’inhabituel?',
  },
  message: 'Est-ce assez tôt si nous envoyons les feuilles de temps lundi?',
};

/** The story in the language of a firm. */
export function storyIn(lang: Lang): PracticeStory {
  if (lang === 'pt') return portuguese;
  if (lang === 'es') return spanish;
  return lang === 'fr' ? french : english;
}
