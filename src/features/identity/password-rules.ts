/** Lengths of a password (NIST SP 800-63B: long, and no rules about kinds of letters), in characters after NFC. */
const LEAST_PASSWORD = 12;
const MOST_PASSWORD = 128;

/** What people begin with when they want something easy; with digits or marks behind it is still easy. */
const COMMON_STEMS = [
  'password', 'passwort', 'passw0rd', 'p@ssword', 'p@ssw0rd', 'contrasena', 'contraseña', 'motdepasse', 'senha', 'minhasenha', 'mypassword', 'thepassword', 'changeme', 'changethis', 'letmein',
  'welcome', 'bienvenue', 'bienvenido', 'bemvindo', 'iloveyou', 'iloveyouforever', 'tequiero', 'tequieromucho', 'jetaime', 'jetaimemonamour', 'euteamo', 'teamo', 'teamomucho', 'teamodemais',
  'qwerty', 'qwertyuiop', 'qwertyuiopasdfghjkl', 'qwertyuiopasdfghjklzxcvbnm', 'azerty', 'azertyuiop', 'qwertz', 'qwertzuiop', 'asdfghjkl', 'asdfghjklzxcvbnm', 'zxcvbnm', 'qazwsx', 'qazwsxedc',
  'qazwsxedcrfv', '1qaz2wsx', '1qaz2wsx3edc', '1qazxsw2', '1q2w3e4r', '1q2w3e4r5t', '1q2w3e4r5t6y', 'q1w2e3r4', 'q1w2e3r4t5', 'abc123', 'abcd1234', 'a1b2c3d4', 'trustno1', 'starwars', 'superman',
  'batman', 'spiderman', 'football', 'baseball', 'basketball', 'liverpool', 'manchester', 'manchesterunited', 'barcelona', 'realmadrid', 'corinthians', 'flamengo', 'palmeiras', 'princess',
  'sunshine', 'dragon', 'monkey', 'master', 'shadow', 'michael', 'jennifer', 'jordan', 'chocolate', 'butterfly', 'computer', 'internet', 'facebook', 'instagram', 'linkedin', 'google', 'microsoft',
  'administrator', 'administrador', 'administrateur', 'admin', 'adminadmin', 'root', 'user', 'guest', 'test', 'testing', 'temporary', 'default', 'secret', 'supersecret', 'topsecret', 'whatever',
  'unknown', 'january', 'february', 'march', 'april', 'june', 'july', 'august', 'september', 'october', 'november', 'december', 'spring', 'summer', 'autumn', 'winter', 'monday', 'friday',
  'correcthorsebatterystaple', 'accounting', 'accountant', 'contabilidade', 'contabilidad', 'comptabilite', 'comptabilité', 'payroll', 'invoice', 'portal', 'clientportal', 'company',
];
const COMMON = new Set(COMMON_STEMS.map((stem) => stem.toLowerCase()));

/** Rows that fingers or heads run along. */
const RUNS = ['01234567890123456789', '98765432109876543210', 'abcdefghijklmnopqrstuvwxyz', 'zyxwvutsrqponmlkjihgfedcba', 'qwertyuiopasdfghjklzxcvbnm', 'azertyuiopqsdfghjklmwxcvbn'];

export type PasswordFault = 'tooShort' | 'tooLong' | 'common' | 'likeEmail';

/** Why a new password is refused; undefined when it is good. The names are keys of the room's words. */
export function passwordFault(password: string, email: string): PasswordFault | undefined {
  const typed = password.normalize('NFC');
  const length = [...typed].length;
  if (length < LEAST_PASSWORD) return 'tooShort';
  if (length > MOST_PASSWORD) return 'tooLong';
  const plain = typed.toLowerCase();
  const address = email.normalize('NFC').toLowerCase();
  const [name = ''] = address.split('@');
  const rest = plain.replace(/[\d\s!-/:-@[-`{-~]+$/, '').replace(/^[\d\s!-/:-@[-`{-~]+/, '');
  if (plain === address || (name.length >= 4 && (rest === name || rest === address.replace(/\.[a-z]+$/, '')))) return 'likeEmail';
  return isCommon(plain, rest) ? 'common' : undefined;
}

/** Easy: a common word with digits or marks around it, one piece again and again, few different characters, or a row of keys. */
function isCommon(plain: string, rest: string): boolean {
  const words = rest.replace(/[^\p{L}\p{N}@]/gu, '');
  const isRun = RUNS.some((run) => run.includes(plain) || (words !== '' && words.length >= 6 && run.includes(words)));
  const isRepeated = /^(.{1,6})\1+$/u.test(plain);
  return COMMON.has(plain) || COMMON.has(rest) || COMMON.has(words) || rest === '' || isRun || isRepeated || new Set(plain).size < 5;
}
