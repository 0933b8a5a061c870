import { abuseSuite } from './abuse-suite.ts';

abuseSuite('process', process.env);
