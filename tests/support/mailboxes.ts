import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { ImapFlow } from 'imapflow';
import { newId } from '#platform/security/crypto.server.ts';

/* Mailboxes of a Dovecot, and wires to it that can be cut. */

interface Connection {
  /** Ends the connection on both sides. */
  cut: () => void;
  /** What the portal has sent so far. */
  sent: string;
}

/** What tests do with the mailboxes of a Dovecot; wires are added to what `close` ends. */
export function mailboxesOf(dovecot: { port: number; password: string }, close: (() => void)[]) {
  /** A new mailbox. */
  function newMailbox() {
    const user = newId('mailbox');
    const urlAt = (
      port: number,
      { protocol = 'imap', host = '127.0.0.1', password = dovecot.password } = {},
    ) => `${protocol}://${user}:${encodeURIComponent(password)}@${host}:${port}`;
    const open = async <T>(work: (client: ImapFlow) => Promise<T>): Promise<T> => {
      const client = new ImapFlow({
        host: '127.0.0.1',
        port: dovecot.port,
        secure: false,
        doSTARTTLS: false,
        auth: { user, pass: dovecot.password },
        logger: false,
      });
      await client.connect();
      await client.mailboxOpen('INBOX');
      return work(client).finally(() => client.logout());
    };
    return {
      user,
      url: urlAt(dovecot.port),
      urlAt,
      /** Delivers messages into it. */
      deliver: (...messages: (Buffer | string)[]): Promise<void> =>
        open(async (client) => {
          for (const message of messages) await client.append('INBOX', message);
        }),
      unread: (): Promise<number> =>
        open(async (client) => {
          const found = await client.search({ seen: false });
          if (!found) throw new Error('the search failed');
          return found.length;
        }),
    };
  }

  /** A wire to Dovecot on which `onSent` and `onReceived` see each piece; what they return passes. */
  async function wire({
    host = '127.0.0.1',
    onSent = (piece) => piece,
    onReceived = (piece) => piece,
  }: {
    host?: string;
    onSent?: (piece: Buffer, connection: Connection) => Buffer;
    onReceived?: (piece: Buffer, connection: Connection) => Buffer;
  }): Promise<{ port: number; connections: Connection[] }> {
    const connections: Connection[] = [];
    const server = net.createServer((portal) => {
      const upstream = net.connect(dovecot.port, '127.0.0.1');
      const connection: Connection = {
        sent: '',
        cut: () => {
          portal.destroy();
          upstream.destroy();
        },
      };
      connections.push(connection);
      for (const side of [portal, upstream]) side.on('error', () => undefined).on('close', connection.cut);
      portal.on('data', (piece: Buffer) => {
        connection.sent += piece.toString('latin1');
        const passed = onSent(piece, connection);
        if (!upstream.destroyed) upstream.write(passed);
      });
      upstream.on('data', (piece: Buffer) => {
        const passed = onReceived(piece, connection);
        if (!portal.destroyed) portal.write(passed);
      });
    });
    server.listen(0, host);
    await once(server, 'listening');
    close.push(() => {
      for (const { cut } of connections) cut();
      server.close();
    });
    return { port: (server.address() as AddressInfo).port, connections };
  }

  return { newMailbox, wire };
}
