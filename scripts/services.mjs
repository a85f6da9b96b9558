// Real services for tests, on loopback: a temporary PostgreSQL, a temporary S3 server (Ceph's RADOS gateway over
// an in-memory cluster) and a temporary IMAP server (Dovecot). They stop with the process that started them.
import { randomBytes, randomUUID } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { isStopping, node, run, start } from './toolchain.mjs';

/** @typedef {{ url: string, stop: () => Promise<void> }} Service */

const HOST = '127.0.0.1';
const START_TIMEOUT = 60_000; // ms; each starts in less than two seconds on an idle machine
const isRoot = process.getuid?.() === 0;

/**
 * Starts PostgreSQL and returns its administrator's URL: TEST_DATABASE_URL, or a temporary cluster of the
 * installed programs. Throws an error with the remedy.
 * @returns {Promise<Service>}
 */
export async function startPostgres() {
  const given = process.env['TEST_DATABASE_URL'];
  return given ? { url: given, stop: async () => {} } : startOwnPostgres();
}

/**
 * Starts a PostgreSQL cluster for the caller alone, with settings of its own (`name=value`). `halt` stops it like a
 * restart of its machine and keeps its data; `resume` starts it again at the same address.
 * @param {readonly string[]} [ownSettings]
 * @returns {Promise<Service & { halt: () => Promise<void>, resume: () => Promise<void> }>}
 */
export async function startOwnPostgres(ownSettings = []) {
  const programs = findPostgres() ?? ((await installed('postgresql')) ? findPostgres() : undefined);
  if (!programs)
    throw new Error(
      'There is no PostgreSQL for the tests. Install it (Debian: apt-get install postgresql), or set TEST_DATABASE_URL to the URL of an administrator of a PostgreSQL that the tests may fill.',
    );
  const place = temporaryFolder('portal-postgres-');
  const person = unprivileged();
  const data = path.join(place.folder, 'data');
  const password = randomBytes(16).toString('hex');
  const passwordFile = path.join(place.folder, 'password');
  writeFileSync(passwordFile, `${password}\n`);
  // initdb refuses to run as root
  if (person) for (const theirs of [place.folder, passwordFile]) chownSync(theirs, person.uid, person.gid);
  const options = { ...person, cwd: place.folder, env: { LC_ALL: 'C', LC_MESSAGES: 'C' } };
  const locale = process.platform === 'linux' ? ['--locale=C.UTF-8'] : ['--no-locale'];
  await done(
    place,
    'initdb',
    path.join(programs, 'initdb'),
    [
      '-D',
      data,
      '-U',
      'portal',
      '--auth=scram-sha-256',
      `--pwfile=${passwordFile}`,
      '-E',
      'UTF8',
      ...locale,
      '--no-sync',
    ],
    options,
  );
  const port = await freePort();
  // temporary data needs no durability; one transaction that hangs in a test keeps the locks of all others
  const quick = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];
  const room = ['max_connections=300', 'max_pred_locks_per_transaction=1024'];
  const network = [`listen_addresses=${HOST}`, 'unix_socket_directories='];
  const settings = [...network, ...quick, ...room, ...ownSettings].flatMap((setting) => ['-c', setting]);
  const up = () =>
    daemon(
      place,
      'postgres',
      path.join(programs, 'postgres'),
      ['-D', data, '-p', String(port), ...settings],
      { ...options, end: 'SIGINT' },
    );
  let cluster = up();
  const ready = () =>
    until(place, 'postgres', () => /ready to accept connections/.test(logOf(place, 'postgres')));
  await ready();
  return {
    url: `postgres://portal:${password}@${HOST}:${port}/postgres`,
    stop: place.stop,
    halt: () => cluster.stop(),
    resume: () => {
      rmSync(path.join(place.folder, 'postgres.log'));
      cluster = up();
      return ready();
    },
  };
}

/**
 * Starts an S3 server with an empty bucket and returns its BLOB_URL: TEST_S3_URL, or a temporary server.
 * Throws an error with the remedy.
 * @returns {Promise<Service>}
 */
export async function startS3() {
  const given = process.env['TEST_S3_URL'];
  if (given) return { url: given, stop: async () => {} };
  const packages = ['radosgw', 'ceph-mon', 'ceph-osd'];
  if (!packages.every(findProgram) && !((await installed(...packages)) && packages.every(findProgram))) {
    throw new Error(
      'There is no S3 server for the tests. On Debian or Ubuntu run `apt-get install --no-install-recommends radosgw ceph-mon ceph-osd`, or set TEST_S3_URL to a bucket that the tests may fill: s3+http://KEY:SECRET@host:port/bucket?region=us-east-1.',
    );
  }
  return startRados();
}

/** Starts one monitor, one in-memory store and one gateway. */
async function startRados() {
  const place = temporaryFolder('portal-s3-');
  const conf = path.join(place.folder, 'ceph.conf');
  const keyring = path.join(place.folder, 'keyring');
  const [cluster, store] = [randomUUID(), randomUUID()];
  const [monitor, gateway] = [`${HOST}:${await freePort()}`, `${HOST}:${await freePort()}`];
  for (const name of ['mon', 'osd', 'run']) mkdirSync(path.join(place.folder, name));
  writeFileSync(conf, radosSettings(place.folder, { cluster, monitor, gateway }));
  const tool = (/** @type {string} */ name, /** @type {string} */ program, /** @type {string[]} */ ...args) =>
    done(place, name, program, args);

  // Without keys the gateway does not start ("get_initial_auth_request returned -13").
  await tool(
    'keys',
    'ceph-authtool',
    '--create-keyring',
    keyring,
    '--gen-key',
    '-n',
    'mon.',
    '--cap',
    'mon',
    'allow *',
  );
  for (const name of ['client.admin', 'osd.0', 'client.rgw'])
    await tool(
      'keys',
      'ceph-authtool',
      keyring,
      '--gen-key',
      '-n',
      name,
      '--cap',
      'mon',
      name === 'osd.0' ? 'allow profile osd' : 'allow *',
      '--cap',
      'osd',
      'allow *',
    );
  await tool(
    'mon-made',
    'ceph-mon',
    '-c',
    conf,
    '-i',
    'a',
    '--public-addr',
    monitor,
    '--mkfs',
    '--keyring',
    keyring,
    '--fsid',
    cluster,
  );
  daemon(place, 'mon', 'ceph-mon', ['-c', conf, '-i', 'a', '--public-addr', monitor, '-f']);
  await tool('osd-known', 'ceph', '-c', conf, '--connect-timeout', '30', 'osd', 'new', store);
  await tool('osd-made', 'ceph-osd', '-c', conf, '-i', '0', '--osd-uuid', store, '--mkfs');
  daemon(place, 'osd', 'ceph-osd', ['-c', conf, '-i', '0', '-f']);
  daemon(place, 'gateway', 'radosgw', ['-c', conf, '-n', 'client.rgw', '-f']);
  await until(place, 'gateway', () =>
    fetch(`http://${gateway}/`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );

  const [access, secret] = [randomBytes(8).toString('hex'), randomBytes(20).toString('hex')];
  await tool(
    'user',
    'radosgw-admin',
    '-c',
    conf,
    'user',
    'create',
    '--uid',
    'portal',
    '--display-name',
    'portal',
    '--access-key',
    access,
    '--secret-key',
    secret,
  );
  const bucket = {
    accessKeyId: access,
    secretAccessKey: secret,
    endpoint: `http://${gateway}/portal`,
    region: 'default',
  }; // the gateway's default location of new buckets
  const program = `import { S3mini } from 's3mini'; if (!(await new S3mini(${JSON.stringify(bucket)}).createBucket())) throw new Error('no bucket');`;
  await tool('bucket', node(), '--input-type=module', '-e', program);
  return { url: `s3+http://${access}:${secret}@${gateway}/portal?region=us-east-1`, stop: place.stop };
}

/** @param {string} folder @param {{ cluster: string, monitor: string, gateway: string }} names */
const radosSettings = (folder, { cluster, monitor, gateway }) => `
[global]
fsid = ${cluster}
mon host = ${monitor}
public network = 127.0.0.0/8
ms bind ipv6 = false
auth cluster required = cephx
auth service required = cephx
auth client required = cephx
keyring = ${folder}/keyring
run dir = ${folder}/run
crash dir = ${folder}/run
admin socket = ${folder}/run/$name.asok
mon data = ${folder}/mon
osd data = ${folder}/osd
pid file =
log file =
log to stderr = true
err to stderr = true
# A decision of the monitor waits a second for company by default; making a dozen pools then takes a dozen seconds.
paxos propose interval = 0.05
paxos min wait = 0.01
mon data avail crit = 1
mon allow pool size one = true
osd objectstore = memstore
memstore device bytes = 4294967296
osd crush chooseleaf type = 0
osd class load list = *
osd class default list = *
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
[client.rgw]
rgw frontends = beast endpoint=${gateway} tcp_nodelay=1
rgw run sync thread = false
rgw dynamic resharding = false
`;

/**
 * Starts Dovecot, an IMAP server with and without TLS: each user name has a mailbox, all with one password.
 * `certificate` is the file of its certificate, which nobody signed, `mail` the folder of all mailboxes (Maildir). Throws an
 * error with the remedy.
 * @returns {Promise<{ port: number, tlsPort: number, password: string, certificate: string, mail: string, stop: () => Promise<void> }>}
 */
export async function startDovecot() {
  if (!findProgram('dovecot') && !((await installed('dovecot-imapd')) && findProgram('dovecot')))
    throw new Error(
      'There is no IMAP server for the tests. On Debian or Ubuntu run `apt-get install --no-install-recommends dovecot-imapd`.',
    );
  const place = temporaryFolder('portal-imap-');
  const person = unprivileged();
  const [key, certificate] = [path.join(place.folder, 'key.pem'), path.join(place.folder, 'certificate.pem')];
  await done(place, 'certificate', 'openssl', [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
    '-subj',
    `/CN=${HOST}`,
    '-addext',
    `subjectAltName=IP:${HOST}`,
    '-keyout',
    key,
    '-out',
    certificate,
  ]);
  const [port, tlsPort, password] = [await freePort(), await freePort(), `s:e+c@r/${randomUUID()}`];
  const conf = path.join(place.folder, 'dovecot.conf');
  const settings = { folder: place.folder, user: nameOf(person), key, certificate, port, tlsPort, password };
  writeFileSync(conf, dovecotSettings(settings));
  // as root, Dovecot's processes would be those of the machine's users
  if (person)
    for (const file of [place.folder, key, certificate, conf]) chownSync(file, person.uid, person.gid);
  const dovecot = findProgram('dovecot') ?? '';
  daemon(place, 'dovecot', path.join(dovecot, 'dovecot'), ['-F', '-c', conf], {
    ...person,
    cwd: place.folder,
    end: 'SIGTERM', // which ends its other processes
  });
  await until(place, 'dovecot', () => isListening(tlsPort));
  return { port, tlsPort, password, certificate, mail: path.join(place.folder, 'mail'), stop: place.stop };
}

/** @param {{ folder: string, user: { name: string, group: string }, key: string, certificate: string, port: number, tlsPort: number, password: string }} given */
const dovecotSettings = ({ folder, user: { name, group }, key, certificate, port, tlsPort, password }) => `
base_dir = ${folder}/run
state_dir = ${folder}/run
log_path = /dev/stderr
protocols = imap
listen = ${HOST}
default_internal_user = ${name}
default_internal_group = ${group}
default_login_user = ${name}
first_valid_uid = 1
first_valid_gid = 1
mail_location = maildir:${folder}/mail/%u
mail_fsync = never
ssl = yes
ssl_cert = <${certificate}
ssl_key = <${key}
auth_failure_delay = 0
passdb {
  driver = static
  args = password={plain}${password}
}
userdb {
  driver = static
  args = uid=${name} gid=${group} home=${folder}/mail/%u
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = ${tlsPort}
  }
}
service anvil {
  chroot =
  # a wrong password would delay the next one
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
`;

// --- Installed programs

const FOLDERS = () => [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/bin', '/usr/sbin'];
/**
 * Returns the path of a program of poppler, which verifies and draws PDF files independently of the portal: `pdfsig`,
 * `pdftoppm`, `pdftotext`. Throws an error with the remedy.
 * @param {string} name
 * @returns {Promise<string>}
 */
export async function popplerProgram(name) {
  // without it, letters of Chinese, Japanese and Korean fonts that are not in the file have no meaning
  if (!existsSync('/usr/share/poppler')) await installed('poppler-data');
  return programOf('poppler-utils', name);
}

/**
 * Returns the path of `qpdf`, which checks the structure of PDF files. Throws an error with the remedy.
 * @returns {Promise<string>}
 */
export const qpdfProgram = () => programOf('qpdf', 'qpdf');

/** @param {string} packageName @param {string} name @returns {Promise<string>} */
async function programOf(packageName, name) {
  const folder = findProgram(name) ?? ((await installed(packageName)) ? findProgram(name) : undefined);
  if (folder) return path.join(folder, name);
  throw new Error(
    `There is no ${name} for the tests. On Debian or Ubuntu run \`apt-get install --no-install-recommends ${packageName}\`.`,
  );
}

/** The folder of an installed program. */
const findProgram = (/** @type {string} */ name) =>
  FOLDERS().find((folder) => existsSync(path.join(folder, name)));

/** Finds the programs of the newest installed PostgreSQL. */
function findPostgres() {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  return [...versions.map((version) => path.join(debian, version, 'bin')), ...FOLDERS()].find((folder) =>
    ['initdb', 'postgres'].every((name) => existsSync(path.join(folder, name))),
  );
}

/** Installs Debian packages if permitted; returns whether it could. @param {string[]} packages */
export async function installed(...packages) {
  if (!isRoot || !existsSync('/etc/debian_version')) return false;
  const apt = (/** @type {string[]} */ ...args) =>
    run('apt-get', args, { stdio: 'ignore', env: { DEBIAN_FRONTEND: 'noninteractive' } });
  const install = () => apt('install', '-y', '--no-install-recommends', ...packages);
  if ((await install()) === 0) return true;
  await apt('update'); // fresh images have no package lists
  return (await install()) === 0;
}

/** The user for programs that refuse to run as root; undefined when we are not root. */
function unprivileged() {
  if (!isRoot) return undefined;
  const people = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const [, , uid, gid] =
    people.find(([name]) => name === 'postgres') ?? people.find(([name]) => name === 'nobody') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

/** The names of the user, by default ours, and of their group. @param {{ uid: number, gid: number }} [person] */
function nameOf(person = userInfo()) {
  const named = (/** @type {string} */ file, /** @type {number} */ id) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
      .find(([, , known]) => known === String(id))?.[0] ?? '';
  return { name: named('/etc/passwd', person.uid), group: named('/etc/group', person.gid) };
}

/** @param {number} port @returns {Promise<boolean>} */
const isListening = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, HOST);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

async function freePort() {
  const server = createServer().listen(0, HOST);
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

// --- Temporary folders and their processes

/**
 * @typedef {{ folder: string, running: Set<{ kill: () => void, stop: () => Promise<void> }>, failed: string | undefined, stop: () => Promise<void> }} Place
 */

/**
 * Creates a temporary folder with its processes; both end with this process.
 *
 * @param {string} prefix
 * @returns {Place}
 */
function temporaryFolder(prefix) {
  const folder = mkdtempSync(path.join(tmpdir(), prefix));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  const removed = () => {
    try {
      remove();
    } catch {
      return false; // a file was written while the folder was being removed
    }
    return !existsSync(folder);
  };
  const onExit = () => {
    for (const { kill } of place.running) kill();
    for (let tries = 0; tries < 20 && !removed(); tries += 1)
      // processes may still write while they stop
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  };
  process.once('exit', onExit);
  /** @type {Place} */
  const place = {
    folder,
    running: new Set(),
    failed: undefined,
    stop: async () => {
      await Promise.all([...place.running].map(({ stop }) => stop()));
      process.removeListener('exit', onExit);
      remove();
    },
  };
  return place;
}

const logOf = (/** @type {Place} */ { folder }, /** @type {string} */ name) =>
  readFileSync(path.join(folder, `${name}.log`), 'utf8');

/**
 * Runs a program to its end; throws its output when it fails.
 * @param {Place} place @param {string} name @param {string} program @param {string[]} args @param
 * {import('./toolchain.mjs').Options} [options]
 */
async function done(place, name, program, args, options) {
  const log = openSync(path.join(place.folder, `${name}.log`), 'a');
  const code = await run(program, args, { stdio: ['ignore', log, log], ...options });
  if (code !== 0) await failWithLog(place, name, `${path.basename(program)} ended with ${code}`);
}

/**
 * Starts a program in the background.
 * @param {Place} place @param {string} name @param {string} program @param {string[]} args @param
 * {import('./toolchain.mjs').Options & { end?: NodeJS.Signals }} [options]
 */
function daemon(place, name, program, args, { end = 'SIGKILL', ...options } = {}) {
  const log = openSync(path.join(place.folder, `${name}.log`), 'a');
  const atOnce = end === 'SIGINT' ? 'SIGQUIT' : end; // SIGKILL would leave PostgreSQL's shared memory behind
  // Where supported, the program also ends when this process is killed.
  const leash = findProgram('setpriv') ? ['setpriv', '--pdeathsig', atOnce.slice(3)] : [];
  const [command = program, ...rest] = [...leash, program, ...args];
  const { child, ended } = start(command, rest, { stdio: ['ignore', log, log], ...options });
  const entry = {
    kill: () => void child.kill(atOnce),
    stop: async () => {
      place.running.delete(entry);
      child.kill(end);
      await ended;
    },
  };
  place.running.add(entry);
  void ended.then((code) => {
    if (place.running.delete(entry)) place.failed = `${name} ended with ${code}`;
  });
  return entry;
}

/**
 * Waits until the program is up; throws its output after a minute.
 *
 * @param {Place} place
 * @param {string} name
 * @param {() => boolean | Promise<boolean>} isUp
 */
async function until(place, name, isUp) {
  for (
    const deadline = Date.now() + START_TIMEOUT;
    !(await isUp());
    await new Promise((resolve) => setTimeout(resolve, 50))
  ) {
    if (place.failed ?? (isStopping() || Date.now() > deadline))
      await failWithLog(place, name, place.failed ?? `${name} was not up after ${START_TIMEOUT / 1000} s`);
  }
}

/**
 * Stops the services of a folder and throws. @param {Place} place @param {string} name @param {string} reason
 * @returns {Promise<never>}
 */
async function failWithLog(place, name, reason) {
  const said = logOf(place, name).slice(-2000);
  await place.stop();
  throw new Error(`${reason}. It said:\n${said}`);
}
