import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { turn } from './portal.ts';

export interface Delivered {
  to: string;
  messageId: string;
  subject: string;
  text: string;
  /** The link of a share; empty for other mails. */
  link: string;
}

/**
 * A fault for a mail, chosen per mail. `drop` stores the whole mail and closes the connection without a
 * reply.
 */
export type MailFault = 'none' | '4xx' | '5xx' | 'slow' | 'drop' | 'reject-recipient';

/**
 * A fake SMTP server for portals in other processes. `delivered` holds the mails it accepted, acknowledged or
 * not.
 */
export async function startMailServer(port = 0, faultOf: (to: string) => MailFault = () => 'none') {
  const delivered: Delivered[] = [];
  const sockets = new Set<Socket>();
  const faults: MailFault[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    onRcptTo: ({ address }, session, done) => {
      const fault = faultOf(address);
      Object.assign(session, { fault });
      faults.push(fault);
      done(
        fault === 'reject-recipient' ? Object.assign(new Error('try later'), { responseCode: 451 }) : null,
      );
    },
    onData: (stream, session, done) => {
      const { fault } = session as unknown as { fault: MailFault };
      const heard = async (raw: string): Promise<void> => {
        if (fault === '4xx' || fault === '5xx')
          return done(Object.assign(new Error('not now'), { responseCode: fault === '4xx' ? 451 : 554 }));
        if (fault === 'slow') await turn(1500);
        const mail = await PostalMime.parse(raw);
        for (const { address } of session.envelope.rcptTo)
          delivered.push({
            to: address,
            messageId: mail.messageId ?? '',
            subject: mail.subject ?? '',
            text: mail.text ?? '',
            link: /https?:\/\/\S+\/share\/[\w-]{43}/.exec(mail.text ?? '')?.[0] ?? '',
          });
        if (fault === 'drop') return sockets.forEach((socket) => socket.destroy());
        done();
      };
      void text(stream)
        .then(heard)
        .catch(() => undefined); // the sender was killed while sending
    },
  });
  server.on('error', () => undefined); // a killed portal closes the connection
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const listening = server.listen(port, '127.0.0.1');
  await once(listening, 'listening');
  const address = listening.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    port: address.port,
    delivered,
    faults,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;
