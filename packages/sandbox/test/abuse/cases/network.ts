import type { AbuseGroup } from '../abuse-case.ts';
import { attack } from '../attack.ts';
import type { HostPlants } from '../host-plants.ts';

/** Connects to each `address port`; only "no such way" counts as held, an answer of whatever kind does not. */
const connectEach = `
  while (my ($address, $port) = splice @ARGV, 0, 2) {
    my $family = $address =~ /:/ ? AF_INET6 : AF_INET;
    socket(my $socket, $family, SOCK_STREAM, 0) or do { held("$!"); next };
    my $packed = Socket::inet_pton($family, $address);
    my $to = $family == AF_INET6 ? Socket::pack_sockaddr_in6($port, $packed) : pack_sockaddr_in($port, $packed);
    local $SIG{ALRM} = sub { broke("$address: on its way"); exit };
    alarm 5;
    connect($socket, $to) ? broke($address)
      : ($!{ENETUNREACH} || $!{EADDRNOTAVAIL} || refused()) ? held("$!") : broke("$address: $!");
    alarm 0;
  }`;

const sendEach = `
  while (my ($address, $port) = splice @ARGV, 0, 2) {
    socket(my $socket, AF_INET, SOCK_DGRAM, 0) or do { held("$!"); next };
    # A question of the name server: secret.example.org, the way names carry data out.
    my $question = pack('n6', 7, 256, 1, 0, 0, 0) . "\\6secret\\7example\\3org\\0" . pack('nn', 1, 1);
    defined send($socket, $question, 0, pack_sockaddr_in($port, inet_aton($address))) ? broke("sent to $address")
      : ($!{ENETUNREACH} || refused()) ? held("$!") : broke("$address: $!");
  }`;

/** The network, where a sandbox was started with none. */
export const network: AbuseGroup = {
  title: 'Network (none, as by default)',
  cases: [
    attack({
      name: 'the internet',
      tries: 'connects to public addresses, IPv4 and IPv6',
      perl: connectEach,
      args: () => ['1.1.1.1', '443', '8.8.8.8', '53', '2606:4700:4700::1111', '443'],
    }),
    attack({
      name: 'private networks',
      tries: 'connects to 10/8, 172.16/12, 192.168/16 and Docker’s bridge',
      perl: connectEach,
      args: () => ['10.0.0.1', '80', '172.17.0.1', '80', '192.168.1.1', '80'],
    }),
    attack({
      name: 'metadata address',
      tries: 'connects to 169.254.169.254, where clouds hand out credentials',
      perl: connectEach,
      args: () => ['169.254.169.254', '80', 'fd00:ec2::254', '80'],
    }),
    attack({
      name: 'loopback of the host',
      tries: 'connects to a server on the host’s 127.0.0.1',
      on: { process: 'does not hold' },
      perl: `
        socket(my $socket, AF_INET, SOCK_STREAM, 0) or die;
        connect($socket, pack_sockaddr_in($ARGV[0], inet_aton('127.0.0.1'))) ? broke('reached') : held("$!");`,
      args: ({ port }) => [String(port)],
      harm: reached,
    }),
    attack({
      name: 'abstract socket of the host',
      tries: 'connects to a unix socket that has no file',
      on: { process: 'does not hold' },
      perl: `
        socket(my $socket, AF_UNIX, SOCK_STREAM, 0) or die;
        my $name = pack('S', AF_UNIX) . "\\0$ARGV[0]";
        connect($socket, $name) ? broke('reached') : held("$!");`,
      args: ({ socket }) => [socket],
      harm: reached,
    }),
    attack({
      name: 'name server',
      tries: 'sends a question over UDP to public name servers',
      perl: sendEach,
      args: () => ['8.8.8.8', '53', '1.1.1.1', '53', '9.9.9.9', '5353'],
    }),
    attack({
      name: 'names',
      tries: 'has the system look up a name',
      sh: `getent hosts example.org >/dev/null && echo 'BROKE found' || echo 'HELD not found'`,
    }),
    attack({
      name: 'raw sockets',
      tries: 'packets of its own making: ICMP, raw IP',
      perl: `
        for my $protocol (1, 255) {
          socket(my $socket, AF_INET, SOCK_RAW, $protocol) ? broke("protocol $protocol") : held("$!");
        }`,
    }),
    attack({
      name: 'interfaces',
      tries: 'looks for an interface beside loopback, and for a route',
      sh: `
        tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' ' | grep -vx lo && echo 'BROKE an interface' || echo 'HELD loopback only'
        tail -n +2 /proc/net/route | grep . && echo 'BROKE a route' || echo 'HELD no route'`,
    }),
    attack({
      name: 'an address of its own',
      tries: 'sets its interface up and gives it an address',
      perl: `
        socket(my $socket, AF_INET, SOCK_DGRAM, 0) or die;
        my $request = pack 'a16 S n a4 x8', 'lo', AF_INET, 0, inet_aton('10.9.9.9');
        ioctl($socket, 0x8916, $request) ? broke('set') : held("$!");`,
    }),
  ],
};

function reached(host: HostPlants): string | undefined {
  return host.connections() > 0 ? 'the host was reached' : undefined;
}
