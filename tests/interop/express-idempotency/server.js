// A small order API behind express-idempotency, mounted as its README says. Prints the port that it listens on.
'use strict';
const express = require('express');
const { idempotency, getSharedIdempotencyService } = require('express-idempotency');

const app = express();
app.use(express.json());
app.post('*', idempotency());

const SLOW_MILLISECONDS = 1000;
let lastNumber = 0;

/** Whether this is what an order looks like. */
function isValid(order) {
    const { product, quantity } = order ?? {};
    return typeof product === 'string' && product !== '' && Number.isInteger(quantity) && quantity > 0;
}

/** Serves `POST /path`, `GET /path?reference=…` and `DELETE /path/:number`, for orders or for refunds. */
function serve(path, identity) {
    const made = [];
    const declined = new Set();

    app.post(path, async (request, response) => {
        // As the README has it: the middleware has answered already, and calls the handler all the same.
        const service = getSharedIdempotencyService();
        if (service.isHit(request)) {
            return;
        }
        if (!isValid(request.body)) {
            response.status(400).json({ error: 'an order has a product and a quantity of one or more' });
            return;
        }
        const { product, quantity, reference } = request.body;
        // Declined once: who tries again has money by then, so that a repeat which is carried out shows.
        if (product === 'unpayable' && !declined.has(reference)) {
            declined.add(reference);
            response.status(402).json({ error: 'the payment was declined' });
            return;
        }
        if (product === 'handmade') {
            await new Promise((done) => setTimeout(done, SLOW_MILLISECONDS));
        }
        const order = { [identity]: ++lastNumber, product, quantity, reference };
        made.push({ account: request.get('Authorization'), order });
        if (product === 'broken') {
            // What goes wrong is reported, as the README asks.
            await service.reportError(request);
            response.status(500).json({ error: 'broken after the order was made' });
            return;
        }
        response.status(201).json(order);
    });

    app.get(path, (request, response) => {
        const mine = made.filter(({ account }) => account === request.get('Authorization'));
        const wanted = request.query.reference;
        const items = mine.map(({ order }) => order).filter(({ reference }) => [undefined, reference].includes(wanted));
        response.json({ items });
    });

    app.delete(`${path}/:number`, (request, response) => {
        const place = made.findIndex(({ order }) => String(order[identity]) === request.params.number);
        if (place >= 0) {
            made.splice(place, 1);
        }
        response.status(place >= 0 ? 204 : 404).end();
    });
}

serve('/orders', 'order_id');
serve('/refunds', 'refund_id');

const server = app.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
    console.log(server.address().port);
});
