// npm run faults:authz: the test of the authorization tests. It plants one authorization fault at a time into a copy of the sources (a scope
// dropped, a guard dropped, && turned into ||, a role widened …), runs the tests, and counts how many faults they find.
//   --sample 20   only so many, spread evenly      --only 7,12   only these numbers      --list   say them, plant none
//   --sure        the tests were just seen to pass: begin with the first fault
//   --pages       the faults of pages, middleware and front door instead, each with a build and e2e/authz.spec.ts
import { spawn } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import ts from 'typescript';
import { findChromium, root } from './toolchain.mjs';

/** @typedef {{ file: string, start: number, end: number, text: string, kind: string }} Fault */

/** Whatever these do, they know no person. */
const IMPERSONAL = /\/(world|mails|signatures|multipart|oidc-adapter|common-passwords|pdfium|pdf-worker|worker|fiscal|table)\.server\.ts$/;
const ROOMS = globSync('src/features/*/{*.server,api.server,store.server}.ts', { cwd: root })
  .filter((file) => !IMPERSONAL.test(file))
  .concat('src/api.server.ts', 'src/routes.ts', 'src/platform/cookies.server.ts');
const CONTRACTS = globSync('src/features/*/*.ts', { cwd: root }).filter((file) => path.basename(file, '.ts') === path.basename(path.dirname(file)));
const PAGES = ['src/platform/front-door.server.ts', 'src/server.ts', 'src/routes.ts', 'src/middleware.ts', ...globSync('src/pages/**/*.{astro,ts}', { cwd: root })];

/** What a condition must speak of to be one about rights. */
const RIGHTS = /actor|session|staff|contact|client|company|firm|visit|recipient|token|expire|revok|delet|locked|row\b|place|account|user|code|mfa|ticket|transaction|demo|who\b|documents?\b|ids\b|named|container|seen|isOver|sender|host|site|origin|permission|own\b/i;
/** Functions that decide nothing about rights. */
const BESIDE = /^(nextFreeName|nameStart|nameConflict|typeFor|insertUnderFreeName|present\w*|welcomeText|shareMail|senderMail|createFirm|firmForVisitor|themeStylesheet|backToPage|bodyOf|startMailbox|stopMailbox|issuer|embeddedIssuer|signingKey|createProvider|stop|sweep|fillDemoWorld|startDemo|loggable|ownForwarding)$/;

/** Statements that stop somebody by throwing. */
const CHECKS = /^(await )?(assert\w*|check\w*|GUARDS\[|actorIn|spend|sessionOf|limited)/;

/** @type {Partial<Record<ts.SyntaxKind, string>>} */
const TURNED = {
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: '!==',
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: '===',
  [ts.SyntaxKind.LessThanToken]: '>=',
  [ts.SyntaxKind.LessThanEqualsToken]: '>',
  [ts.SyntaxKind.GreaterThanToken]: '<=',
  [ts.SyntaxKind.GreaterThanEqualsToken]: '<',
};

/** Milliseconds after which a run that hangs is ended, and counts as found. */
const MOST = 240_000;
/** The run that is under way. @type {import('node:child_process').ChildProcess | undefined} */
let running;
/** What the last run said, the end of it. */
let said = '';
const MOST_SAID = 100_000;

/**
 * Faults that change nothing that anybody could see, each with its reason. The key is the file, the kind and the text that was there.
 * @type {Record<string, string>}
 */
const EQUIVALENT = {
  "src/features/documents/store.server.ts | where dropped | db() .selectFrom('documents') .select((e) => ['container_id', e.fn.countAll<number>().as('count')]) .where('client_id', '=', clientId)":
    'the counts are looked up by the ids of containers that the actor sees: those of others are never read',
  "src/features/sharing/store.server.ts | where dropped | db().updateTable('share_recipients').set({ asked_again_at: now() }).where('recipient_id', '=', recipientId).where('asked_again_at', 'is', null)":
    'the mail to the sender has a key that each recipient uses once, so asking again sends no other either way',
  "src/features/people/people.server.ts | guard dropped | if (!session) throw new PortalError('UNAUTHENTICATED');":
    'the guard of the route table has refused who is not signed in before a call runs; this only tells the types so',
  "src/features/staff/contacts.server.ts | where dropped | db() .selectFrom('contacts') .innerJoin('users', 'users.prism_guid', 'contacts.prism_guid') .select(['contacts.contact_id', 'contacts.full_name', 'users.prism_guid', 'users.email']) .where('contacts.contact_id', 'in', ids)":
    'the people are looked up by ids that were found within the own firm: others are read for nothing',
  "src/features/identity/invitations.server.ts | where dropped | db().updateTable('invitations').set({ accepted_at: now() }).where('invitation_id', '=', row.invitation_id)":
    'its token, which the next condition asks for, is of one invitation',
  'src/features/identity/identity.server.ts | left of the two only | !(await secretMatches(input.password, user?.password_hash)) || !user':
    'nothing matches a hash that is not there, so without a user the left says no as well',
};

const options = parse(process.argv.slice(2));
const faults = (options.pages ? PAGES : [...ROOMS, ...CONTRACTS]).flatMap((file) => faultsIn(file)).filter((fault) => EQUIVALENT[keyOf(fault)] === undefined);
const numbered = faults.map((fault, i) => ({ ...fault, number: i + 1 }));
const chosen = options.only
  ? options.only.flatMap((number) => numbered[number - 1] ?? [])
  : numbered.filter((_, i) => !options.sample || Math.floor((i * options.sample) / numbered.length) !== Math.floor(((i - 1) * options.sample) / numbered.length));
if (options.list) {
  for (const fault of chosen) console.log(describe(fault));
  process.exit(0);
}

const copy = makeCopy();
process.on('exit', () => {
  endRun();
  rmSync(copy, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

console.log(`${chosen.length} faults${options.sure ? '' : '; first the sources as they are'}.`);
if (!options.sure && (await suiteFinds('src/features/people/people.server.ts')) !== undefined) {
  console.error(`${said.slice(-5000)}\nThe tests fail without any fault: mend that first.`);
  process.exit(1);
}
/** @type {typeof chosen} */
const survivors = [];
/** @type {Record<string, number>} */
const finders = {};
for (const fault of chosen) {
  const began = Date.now();
  const target = path.join(copy, fault.file);
  const source = readFileSync(target, 'utf8');
  writeFileSync(target, source.slice(0, fault.start) + fault.text + source.slice(fault.end));
  const finder = await suiteFinds(fault.file);
  writeFileSync(target, source);
  if (finder === undefined) survivors.push(fault);
  else finders[finder] = (finders[finder] ?? 0) + 1;
  console.log(`${finder === undefined ? 'SURVIVED' : `found by ${finder}`}  ${((Date.now() - began) / 1000).toFixed(1)} s  ${describe(fault)}`);
}
console.log(`\n${chosen.length} faults planted, ${chosen.length - survivors.length} found (${Object.entries(finders).map(([finder, count]) => `${count} by ${finder}`).join(', ')}), ${survivors.length} survived.`);
for (const fault of survivors) console.log(`SURVIVED ${describe(fault)}`);
process.exit(survivors.length > 0 ? 1 : 0);

/** @param {string[]} args */
function parse(args) {
  const value = (/** @type {string} */ name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
  return { sample: Number(value('--sample') ?? 0), only: value('--only')?.split(',').map(Number), list: args.includes('--list'), sure: args.includes('--sure'), pages: args.includes('--pages') };
}

/** @param {Fault} fault */
function keyOf({ file, kind, start, end }) {
  return `${file} | ${kind} | ${readFileSync(path.join(root, file), 'utf8').slice(start, end).replaceAll(/\s+/g, ' ')}`;
}

/** @param {Fault & { number: number }} fault */
function describe({ number, file, kind, start, end, text }) {
  const source = readFileSync(path.join(root, file), 'utf8');
  const line = source.slice(0, start).split('\n').length;
  const flat = (/** @type {string} */ piece) => piece.replaceAll(/\s+/g, ' ').slice(-160);
  return `#${number} ${file}:${line} ${kind}\n      - ${flat(source.slice(start, end))}\n      + ${flat(text)}`;
}

/** A copy of what the tests need, so that the sources themselves are never touched. */
function makeCopy() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'portal-planted-'));
  for (const name of ['src', 'tests', 'locales', 'e2e', 'public', 'scripts', 'package.json', 'tsconfig.json', 'vitest.config.ts', 'astro.config.mjs', 'playwright.config.ts']) cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  return folder;
}

/** Which tests find the fault that stands in the copy: the first that fail, or undefined. @param {string} file */
async function suiteFinds(file) {
  if (options.pages) {
    if (file.endsWith('front-door.server.ts') && !(await succeeds('vitest', ['run', '--bail', '1', 'tests/platform/front-door.test.ts']))) return 'tests/platform/front-door.test.ts';
    if (!(await succeeds('astro', ['build']))) return 'the build';
    return (await succeeds('playwright', ['test', 'e2e/authz.spec.ts', '-x'])) ? undefined : 'e2e/authz.spec.ts';
  }
  // The likeliest first: most faults are found within seconds.
  const own = file.replace(/^src/, 'tests').replace(/(\.server)?\.ts$/, '.test.ts');
  const rest = /features\/(sharing|session|identity|firms|demo)\//.test(file) ? [roomTests(file), ['tests/authz/']] : [['tests/authz/matrix.test.ts'], ['tests/authz/canary', 'tests/authz/edges', 'tests/authz/tampering'], roomTests(file)];
  for (const files of [...(existsSync(path.join(copy, own)) ? [[own]] : []), ...rest, ['tests/features/']]) {
    if (!(await succeeds('vitest', ['run', '--bail', '1', ...files]))) return /FAIL .*?(tests\/\S+?\.test\.ts)/.exec(said)?.[1] ?? 'a run that broke';
  }
  return undefined;
}

/** The tests of a room and of those that stand on it. @param {string} file */
function roomTests(file) {
  const room = /^src\/features\/([^/]+)\//.exec(file)?.[1] ?? '';
  /** @type {Record<string, string[]>} */
  const above = { people: ['people', 'session', 'identity', 'clients', 'documents', 'sharing'], documents: ['documents', 'sharing'], firms: ['firms', 'identity', 'session', 'sharing'], session: ['session', 'identity'] };
  return [...(above[room] ?? (room === '' ? ['session', 'demo'] : [room])).map((name) => `tests/features/${name}/`), 'tests/routes.test.ts', 'tests/platform/front-door.test.ts'];
}

/** Whether a tool ends well in the copy; one that hangs does not. @param {string} tool @param {string[]} args @returns {Promise<boolean>} */
function succeeds(tool, args) {
  return new Promise((resolve) => {
    const env = { ...process.env, PATH: `${path.join(root, 'node_modules/.bin')}${path.delimiter}${process.env.PATH}`, NODE_ENV: tool === 'astro' ? 'production' : 'test', CI: '1', ASTRO_TELEMETRY_DISABLED: '1', CHROMIUM: findChromium() ?? '' };
    const child = spawn(path.join(root, 'node_modules/.bin', tool), args, { cwd: copy, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    said = '';
    for (const output of [child.stdout, child.stderr]) output.on('data', (/** @type {Buffer} */ chunk) => (said = (said + chunk.toString()).slice(-MOST_SAID)));
    running = child;
    const late = setTimeout(endRun, MOST);
    child.once('exit', (code) => {
      clearTimeout(late);
      running = undefined;
      resolve(code === 0);
    });
  });
}

/** Ends the run that is under way, with everything that it started. */
function endRun() {
  if (running?.pid !== undefined) process.kill(-running.pid, 'SIGKILL');
}

/** Every fault that can be planted into a file. @param {string} file @returns {Fault[]} */
function faultsIn(file) {
  const source = readFileSync(path.join(root, file), 'utf8');
  const [script, offset] = file.endsWith('.astro') ? [/^---\n([\s\S]*?)\n---/.exec(source)?.[1] ?? '', 4] : [source, 0];
  const tree = ts.createSourceFile(file, script, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  /** @type {Fault[]} */
  const found = [];
  /** @param {ts.Node} node @param {string} kind @param {string} text */
  const plant = (node, kind, text) => {
    const [start, end] = [node.getStart(tree), node.end];
    if (isSound(script.slice(0, start) + text + script.slice(end))) found.push({ file, start: start + offset, end: end + offset, text, kind });
  };
  /** @param {ts.Node} node */
  const walk = (node) => {
    if (BESIDE.test(nameOfFunction(node))) return;
    if (file === 'src/routes.ts') widenRole(node, plant);
    else if (CONTRACTS.includes(file)) loosen(node, plant, tree);
    else {
      dropScope(node, plant, tree);
      dropGuard(node, plant, tree);
      turnCondition(node, plant, tree);
      answerAlways(node, plant);
    }
    ts.forEachChild(node, walk);
  };
  walk(tree);
  return found;
}

/** @param {string} text */
function isSound(text) {
  const { diagnostics = [] } = ts.transpileModule(text, { reportDiagnostics: true, compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext } });
  return diagnostics.length === 0;
}

/** @param {ts.Node} node @returns {string} */
function nameOfFunction(node) {
  if (ts.isFunctionDeclaration(node)) return node.name?.text ?? '';
  return ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer && ts.isArrowFunction(node.initializer) ? node.name.text : '';
}

/** @typedef {(node: ts.Node, kind: string, text: string) => void} Plant */

/** A page or call that asks for a session, or for a demo, asks for nothing. @param {ts.Node} node @param {Plant} plant */
function widenRole(node, plant) {
  if (!ts.isStringLiteral(node) || !['signed-in', 'demo'].includes(node.text) || !ts.isPropertyAssignment(node.parent)) return;
  const isPage = ts.isStringLiteral(node.parent.name);
  if (isPage === options.pages) plant(node, 'role widened', `'visitor'`);
}

/** A contract takes what it does not name. @param {ts.Node} node @param {Plant} plant @param {ts.SourceFile} tree */
function loosen(node, plant, tree) {
  if (!ts.isIdentifier(node) || node.text !== 'strictObject') return;
  const declaration = ts.findAncestor(node, ts.isVariableStatement)?.getText(tree) ?? '';
  if (/const (\w*(Query|Request|Order)|new\w+|credentials) =/.test(declaration)) plant(node, 'unknown fields taken', 'object');
}

/** A query is narrowed by one condition less. @param {ts.Node} node @param {Plant} plant @param {ts.SourceFile} tree */
function dropScope(node, plant, tree) {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
  const name = node.expression.name.text;
  if (['where', 'whereRef', '$if'].includes(name)) plant(node, `${name} dropped`, node.expression.expression.getText(tree));
}

/** A statement that stops somebody is gone. @param {ts.Node} node @param {Plant} plant @param {ts.SourceFile} tree */
function dropGuard(node, plant, tree) {
  if (ts.isIfStatement(node) && !node.elseStatement && stops(node.thenStatement) && RIGHTS.test(node.expression.getText(tree))) plant(node, 'guard dropped', '');
  if (ts.isExpressionStatement(node) && CHECKS.test(node.expression.getText(tree))) plant(node, 'check not made', '');
}

/** @param {ts.Statement} statement @returns {boolean} */
function stops(statement) {
  if (ts.isBlock(statement)) return statement.statements.some((one) => stops(one));
  return ts.isThrowStatement(statement) || ts.isReturnStatement(statement);
}

/** A condition holds when it should not. @param {ts.Node} node @param {Plant} plant @param {ts.SourceFile} tree */
function turnCondition(node, plant, tree) {
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken && RIGHTS.test(node.getText(tree))) plant(node, 'not dropped', node.operand.getText(tree));
  if (!ts.isBinaryExpression(node) || !RIGHTS.test(node.getText(tree))) return;
  const [left, right] = [node.left.getText(tree), node.right.getText(tree)];
  const kind = node.operatorToken.kind;
  const turned = TURNED[kind];
  if (turned) plant(node, 'comparison turned', `${left} ${turned} ${right}`);
  if (kind !== ts.SyntaxKind.AmpersandAmpersandToken && kind !== ts.SyntaxKind.BarBarToken) return;
  if (ts.isReturnStatement(node.parent) || ts.isConditionalExpression(node.parent) || ts.isIfStatement(node.parent) || ts.isArrowFunction(node.parent) || ts.isVariableDeclaration(node.parent) || ts.isBinaryExpression(node.parent) || ts.isParenthesizedExpression(node.parent)) {
    plant(node, kind === ts.SyntaxKind.BarBarToken ? '|| turned into &&' : '&& turned into ||', `(${left}) ${kind === ts.SyntaxKind.BarBarToken ? '&&' : '||'} (${right})`);
    plant(node, 'left of the two only', `(${left})`);
    plant(node, 'right of the two only', `(${right})`);
  }
}

/** A question is always answered yes, or always no. @param {ts.Node} node @param {Plant} plant */
function answerAlways(node, plant) {
  if (!ts.isFunctionDeclaration(node) && !ts.isArrowFunction(node)) return;
  const type = node.type?.getText() ?? '';
  if (!/^(Promise<)?boolean>?$/.test(type) || !node.body) return;
  for (const answer of ['true', 'false']) {
    const value = type.startsWith('Promise') && !node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword) ? `Promise.resolve(${answer})` : answer;
    plant(node.body, `always ${answer}`, ts.isBlock(node.body) ? `{ return ${value}; }` : value);
  }
}
