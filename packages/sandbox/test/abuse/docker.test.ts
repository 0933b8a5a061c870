import { abuseSuite } from './abuse-suite.ts';

abuseSuite('docker', process.env);
