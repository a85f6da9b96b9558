// Which faults plant-faults.mjs knows: where a scope, a guard or a role can be lost.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { root } from '../toolchain.mjs';
import { whyHarmless } from './harmless.mjs';

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

/** Every fault that can be planted into the rooms, or into pages, middleware and front door, but for those that change nothing. @param {boolean} inPages */
export function allFaults(inPages) {
  const faults = (inPages ? PAGES : [...ROOMS, ...CONTRACTS]).flatMap((file) => faultsIn(file, inPages));
  /** @type {Map<string, number>} */
  const times = new Map();
  return faults
    .map((fault) => {
      const key = `${fault.file} | ${fault.kind} | ${textOf(fault)}`; // what it is called as long as its line says the same
      const nth = (times.get(key) ?? 0) + 1;
      times.set(key, nth);
      return { ...fault, key: nth === 1 ? key : `${key} (${nth})` };
    })
    .filter((fault) => whyHarmless(fault) === undefined);
}

/** @param {Fault} fault */
const textOf = ({ file, start, end }) => readFileSync(path.join(root, file), 'utf8').slice(start, end).replaceAll(/\s+/g, ' ');

/** @param {string} file @param {boolean} inPages @returns {Fault[]} */
function faultsIn(file, inPages) {
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
    if (file === 'src/routes.ts') widenRole(node, plant, inPages);
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

/** A page or call that asks for a session, or for a demo, asks for nothing. @param {ts.Node} node @param {Plant} plant @param {boolean} inPages */
function widenRole(node, plant, inPages) {
  if (!ts.isStringLiteral(node) || !['signed-in', 'demo'].includes(node.text) || !ts.isPropertyAssignment(node.parent)) return;
  const isPage = ts.isStringLiteral(node.parent.name);
  if (isPage === inPages) plant(node, 'role widened', `'visitor'`);
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
