import { abuseSuite } from './abuse-suite.ts';

abuseSuite('bubblewrap', process.env);
