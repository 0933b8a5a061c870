import { storeConformance } from '../conformance/store-conformance.ts';
import { openTestDatabase } from './test-database.ts';

storeConformance('postgres', openTestDatabase);
