import { storeConformance } from '../conformance/store-conformance.ts';
import { openTestSqlite } from './test-database.ts';

storeConformance('sqlite', openTestSqlite);
