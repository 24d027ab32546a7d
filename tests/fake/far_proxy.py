#!/usr/bin/env python3
"""far_proxy.py PORT TO_PORT MS: a server on loopback as if it were MS away and back."""
import asyncio
import sys

TO, DELAY = int(sys.argv[2]), float(sys.argv[3]) / 2000


async def copy(reader, writer, loop):
    while data := await reader.read(65536):
        loop.call_later(DELAY, writer.write, data)
    loop.call_later(DELAY, writer.close)


async def serve(reader, writer):
    loop = asyncio.get_running_loop()
    far_reader, far_writer = await asyncio.open_connection("127.0.0.1", TO)
    await asyncio.gather(copy(reader, far_writer, loop), copy(far_reader, writer, loop))


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]))
    async with server:
        await server.serve_forever()


asyncio.run(main())
