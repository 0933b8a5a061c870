import type { JsonObject, ToolSpec } from '@forge/core';

/** A request in a person's words, and the one call that answers it. */
export interface CallTask {
  readonly ask: string;
  readonly tool: string;
  readonly args: JsonObject;
}

export interface TaskSet {
  readonly name: string;
  readonly tools: readonly ToolSpec[];
  readonly tasks: readonly CallTask[];
}

function tool(name: string, description: string, properties: JsonObject): ToolSpec {
  const inputSchema = { type: 'object', properties, required: Object.keys(properties) };
  return { name, description, inputSchema };
}

const household: TaskSet = {
  name: 'household',
  tools: [
    tool('get_weather', 'Get the current weather in a city.', {
      city: { type: 'string', description: 'Name of the city' },
    }),
    tool('set_timer', 'Start a timer that rings after some minutes.', {
      minutes: { type: 'integer', description: 'Minutes until it rings' },
    }),
    tool('convert_currency', 'Convert an amount of money from one currency to another.', {
      amount: { type: 'number', description: 'How much' },
      from: { type: 'string', description: 'Three-letter code of the currency it is in' },
      to: { type: 'string', description: 'Three-letter code of the currency wanted' },
    }),
    tool('add_to_list', 'Add an item to one of the lists of the user.', {
      item: { type: 'string', description: 'What to add' },
      list: { type: 'string', enum: ['shopping', 'todo'], description: 'Which list' },
    }),
  ],
  tasks: [
    { ask: 'What is the weather in Lisbon?', tool: 'get_weather', args: { city: 'Lisbon' } },
    { ask: 'Is it raining in Nairobi right now?', tool: 'get_weather', args: { city: 'Nairobi' } },
    { ask: 'Do I need a coat in Oslo today?', tool: 'get_weather', args: { city: 'Oslo' } },
    { ask: 'Set a timer for 12 minutes.', tool: 'set_timer', args: { minutes: 12 } },
    { ask: 'Wake me up in 45 minutes.', tool: 'set_timer', args: { minutes: 45 } },
    {
      ask: 'The eggs need 7 minutes, please start a timer.',
      tool: 'set_timer',
      args: { minutes: 7 },
    },
    {
      ask: 'Convert 50 USD to EUR.',
      tool: 'convert_currency',
      args: { amount: 50, from: 'USD', to: 'EUR' },
    },
    {
      ask: 'How many JPY do I get for 200 GBP?',
      tool: 'convert_currency',
      args: { amount: 200, from: 'GBP', to: 'JPY' },
    },
    {
      ask: 'Put milk on the shopping list.',
      tool: 'add_to_list',
      args: { item: 'milk', list: 'shopping' },
    },
    {
      ask: 'Add "call the bank" to my todo list.',
      tool: 'add_to_list',
      args: { item: 'call the bank', list: 'todo' },
    },
  ],
};

const travel: TaskSet = {
  name: 'travel',
  tools: [
    tool('translate', 'Translate a text into another language.', {
      text: { type: 'string', description: 'The text to translate' },
      language: { type: 'string', description: 'The language to translate it into' },
    }),
    tool('find_flights', 'Search for flights between two cities.', {
      origin: { type: 'string', description: 'City the flight leaves from' },
      destination: { type: 'string', description: 'City the flight goes to' },
    }),
    tool('book_table', 'Reserve a table at the restaurant.', {
      people: { type: 'integer', description: 'Number of guests' },
      time: { type: 'string', description: 'Time of day, as HH:MM' },
    }),
    tool('switch_light', 'Turn the light in a room on or off.', {
      room: { type: 'string', description: 'The room' },
      state: { type: 'string', enum: ['on', 'off'], description: 'What the light should be' },
    }),
  ],
  tasks: [
    {
      ask: 'Translate "good morning" into Spanish.',
      tool: 'translate',
      args: { text: 'good morning', language: 'Spanish' },
    },
    {
      ask: 'How do you say "thank you" in Japanese?',
      tool: 'translate',
      args: { text: 'thank you', language: 'Japanese' },
    },
    {
      ask: 'What is "apple" in German?',
      tool: 'translate',
      args: { text: 'apple', language: 'German' },
    },
    {
      ask: 'Find flights from Rome to Madrid.',
      tool: 'find_flights',
      args: { origin: 'Rome', destination: 'Madrid' },
    },
    {
      ask: 'I want to fly from Boston to Denver.',
      tool: 'find_flights',
      args: { origin: 'Boston', destination: 'Denver' },
    },
    {
      ask: 'Which flights go to Cairo from Athens?',
      tool: 'find_flights',
      args: { origin: 'Athens', destination: 'Cairo' },
    },
    {
      ask: 'Book a table for 4 people at 19:30.',
      tool: 'book_table',
      args: { people: 4, time: '19:30' },
    },
    {
      ask: 'We are 6 and would like to eat at 20:00.',
      tool: 'book_table',
      args: { people: 6, time: '20:00' },
    },
    {
      ask: 'Turn on the light in the kitchen.',
      tool: 'switch_light',
      args: { room: 'kitchen', state: 'on' },
    },
    {
      ask: 'Switch the bedroom light off, please.',
      tool: 'switch_light',
      args: { room: 'bedroom', state: 'off' },
    },
  ],
};

/** Written before anything was tried, and played for the first time when the ladder was done. */
const shop: TaskSet = {
  name: 'shop',
  tools: [
    tool('search_products', 'Find products in the shop by name.', {
      query: { type: 'string', description: 'What to look for' },
    }),
    tool('track_order', 'Tell where an order is.', {
      order_id: { type: 'integer', description: 'The number of the order' },
    }),
    tool('rate_product', 'Give a product a number of stars.', {
      product: { type: 'string', description: 'Name of the product' },
      stars: { type: 'integer', minimum: 1, maximum: 5, description: 'From 1 to 5' },
    }),
    tool('ship_to', 'Set the country and the speed of the delivery.', {
      country: { type: 'string', description: 'Country to deliver to' },
      speed: { type: 'string', enum: ['normal', 'express'], description: 'How fast' },
    }),
  ],
  tasks: [
    { ask: 'Do you have wool socks?', tool: 'search_products', args: { query: 'wool socks' } },
    {
      ask: 'I am looking for a garden chair.',
      tool: 'search_products',
      args: { query: 'garden chair' },
    },
    {
      ask: 'Search the shop for desk lamps.',
      tool: 'search_products',
      args: { query: 'desk lamps' },
    },
    { ask: 'Where is my order 48213?', tool: 'track_order', args: { order_id: 48213 } },
    { ask: 'Has order number 7791 been sent yet?', tool: 'track_order', args: { order_id: 7791 } },
    { ask: 'Track order 305.', tool: 'track_order', args: { order_id: 305 } },
    {
      ask: 'I give the kettle 4 stars.',
      tool: 'rate_product',
      args: { product: 'kettle', stars: 4 },
    },
    {
      ask: 'Rate the backpack with 2 stars.',
      tool: 'rate_product',
      args: { product: 'backpack', stars: 2 },
    },
    {
      ask: 'Send it to Norway by express.',
      tool: 'ship_to',
      args: { country: 'Norway', speed: 'express' },
    },
    {
      ask: 'Normal delivery to Canada, please.',
      tool: 'ship_to',
      args: { country: 'Canada', speed: 'normal' },
    },
  ],
};

/** Three sets of ten requests over four tools each. */
export const taskSets: readonly TaskSet[] = [household, travel, shop];
