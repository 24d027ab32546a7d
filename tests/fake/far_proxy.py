#!/usr/bin/env python3
"""far_proxy.py TO_PORT MS PORT_FILE: a server on loopback as if it were MS away and back, at a port of its own."""
import asyncio
import os
import sys

TO, DELAY, PORT_FILE = int(sys.argv[1]), float(sys.argv[2]) / 2000, sys.argv[3]


async def copy(reader, writer, loop):
    while data := await reader.read(65536):
        loop.call_later(DELAY, writer.write, data)
    loop.call_later(DELAY, writer.close)


async def serve(reader, writer):
    loop = asyncio.get_running_loop()
    far_reader, far_writer = await asyncio.open_connection("127.0.0.1", TO)
    await asyncio.gather(copy(reader, far_writer, loop), copy(far_reader, writer, loop))


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    with open(PORT_FILE + ".tmp", "w") as f:
        f.write(str(server.sockets[0].getsockname()[1]))
    os.rename(PORT_FILE + ".tmp", PORT_FILE)
    async with server:
        await server.serve_forever()


asyncio.run(main())
