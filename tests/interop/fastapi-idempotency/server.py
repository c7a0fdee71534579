"""A small order API behind fastapi-idempotency, mounted as its README says."""

import asyncio
import itertools
import sys
from datetime import timedelta

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from fastapi_idempotency import IdempotencyMiddleware

SLOW_SECONDS = 1

app = FastAPI()
numbers = itertools.count(1)


def scope(request: Request) -> str:
    """Who calls: the README advises a stable name of the user in place of the address."""
    return request.headers.get("authorization", "nobody")


def is_valid(order: object) -> bool:
    """Whether this is what an order looks like."""
    if not isinstance(order, dict):
        return False
    product, quantity = order.get("product"), order.get("quantity")
    return isinstance(product, str) and product != "" and type(quantity) is int and quantity > 0


def refusal(status: int, why: str) -> JSONResponse:
    return JSONResponse({"error": why}, status_code=status)


def serve(path: str, identity: str) -> None:
    """Serves POST, GET with a reference and DELETE below a path, for orders or for refunds."""
    made: list[dict] = []
    declined: set[str | None] = set()

    @app.post(path)
    async def make(request: Request) -> Response:
        body = await request.json()
        if not is_valid(body):
            return refusal(400, "an order has a product and a quantity of one or more")
        # Declined once: who tries again has money by then, so that a repeat which is carried out shows.
        if body["product"] == "unpayable" and body.get("reference") not in declined:
            declined.add(body.get("reference"))
            return refusal(402, "the payment was declined")
        if body["product"] == "handmade":
            await asyncio.sleep(SLOW_SECONDS)
        order = {identity: next(numbers), **body}
        made.append({"account": scope(request), "order": order})
        if body["product"] == "broken":
            return refusal(500, "broken after the order was made")
        return JSONResponse(order, status_code=201)

    @app.get(path)
    async def find(request: Request, reference: str | None = None) -> JSONResponse:
        mine = [entry["order"] for entry in made if entry["account"] == scope(request)]
        return JSONResponse({"items": [order for order in mine if reference in (None, order.get("reference"))]})

    @app.delete(path + "/{number}")
    async def remove(number: int) -> Response:
        for place, entry in enumerate(made):
            if entry["order"][identity] == number:
                del made[place]
                return Response(status_code=204)
        return Response(status_code=404)


serve("/orders", "order_id")
serve("/refunds", "refund_id")

port, key_window, lease = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
# As in the README's configuration, but shorter: a day and a minute would take a day and a minute to show.
app.add_middleware(
    IdempotencyMiddleware,
    scope=scope,
    key_window=timedelta(seconds=key_window),
    lease_seconds=lease,
    heartbeat_seconds=lease / 3,
)
uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")
