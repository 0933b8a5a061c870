import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nearestNames } from './nearest-names.ts';

const known = ['get_forecast', 'get_forecast_hourly', 'send_email', 'ping'];

describe('nearestNames', () => {
  it('finds a name in other spelling, misspelt, or shortened', () => {
    assert.equal(nearestNames('getForecast', known)[0], 'get_forecast');
    assert.equal(nearestNames('get_forcast', known)[0], 'get_forecast');
    assert.equal(nearestNames('email', known)[0], 'send_email');
    assert.equal(nearestNames('weather_forecast', known)[0], 'get_forecast');
  });

  it('says nothing where nothing is close', () => {
    assert.deepEqual(nearestNames('delete_database', known), []);
  });

  it('gives at most three', () => {
    const many = Array.from({ length: 20 }, (_, index) => `tool_${index}`);
    assert.equal(nearestNames('tool', many).length, 3);
  });
});
