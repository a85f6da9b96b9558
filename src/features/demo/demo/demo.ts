/** A person of the demo data, as the sign-in page and the start-up text list them. */
export interface DemoPerson {
  email: string;
  name: string;
  /** The translation key of what this person demonstrates. */
  story:
    | 'storyOneClient'
    | 'storyFourClients'
    | 'storyFortyClients'
    | 'storyNoClients'
    | 'storyTwoFirms'
    | 'storyStaff'
    | 'storyLocked'
    | 'storyMfa'
    | 'storyFrench'
    | 'storyTerms';
}

export const DEMO_PASSWORD = 'correct-horse-2026';

export const DEMO_PEOPLE: readonly DemoPerson[] = [
  { email: 'olivia@juniper.example', name: 'Olivia Bennett', story: 'storyOneClient' },
  { email: 'ana@padaria.example', name: 'Ana Souza', story: 'storyFourClients' },
  { email: 'marcus@holdings.example', name: 'Marcus Reed', story: 'storyFortyClients' },
  { email: 'sophie@erable.example', name: 'Sophie Tremblay', story: 'storyFrench' },
  { email: 'daniel@twofirms.example', name: 'Daniel Cho', story: 'storyTwoFirms' },
  { email: 'nora@newhere.example', name: 'Nora Lind', story: 'storyNoClients' },
  { email: 'tess@terms.example', name: 'Tess Moreno', story: 'storyTerms' },
  { email: 'hart@maplehart.example', name: 'Eleanor Hart', story: 'storyStaff' },
  { email: 'leo@closed.example', name: 'Leo Marsh', story: 'storyLocked' },
  { email: 'priya@secure.example', name: 'Priya Nair', story: 'storyMfa' },
];
