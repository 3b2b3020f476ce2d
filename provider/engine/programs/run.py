"""Runs a Pulumi program in Python: its runtime is set up to talk to the embedded engine, and the program is started as `python3 FOLDER` would start it."""

import argparse
import asyncio
import gc
import logging
import os
import runpy
import signal
import sys
import sysconfig
import traceback
from concurrent.futures import ThreadPoolExecutor

# Whoever interrupts these imports is to be told nothing of them.
signal.signal(signal.SIGINT, signal.SIG_DFL)
# The program imports from its own folder.
if sys.path[0] == os.path.dirname(__file__):
    sys.path.pop(0)

import grpc
import pulumi
from pulumi.runtime import Settings, configure, run_in_stack
from pulumi.runtime.proto import engine_pb2_grpc, resource_pb2_grpc

LARGEST_MESSAGE = 400 * 1024 * 1024
# A registration takes a thread until it is answered, and some are held back until others have come.
THREADS = 512
# For the engine: it failed, and the user was told.
TOLD = 32


def arguments():
    parser = argparse.ArgumentParser()
    for name in ["monitor", "engine", "organization", "project", "stack", "pwd", "root-directory", "parallel"]:
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("program")
    return parser.parse_args()


def connect(args):
    """Sets up Pulumi's runtime; returns what ends its calls."""
    sizes = [(f"grpc.max_{way}_message_length", LARGEST_MESSAGE) for way in ("send", "receive")]
    channel = grpc.insecure_channel(args.monitor, options=sizes)
    configure(
        Settings(
            project=args.project,
            stack=args.stack,
            monitor=resource_pb2_grpc.ResourceMonitorStub(channel),
            engine=engine_pb2_grpc.EngineStub(channel),
            parallel=int(args.parallel),
            dry_run=args.dry_run,
            organization=args.organization,
            root_directory=args.root_directory,
        )
    )
    # Nobody is shown them, and each is a call that the program waits for.
    pulumi.log.debug = lambda *_, **__: None
    return channel.close


def run(args, loop):
    """Runs the program to its end; returns what keeps it from being one, or nothing."""
    program = os.path.normpath(os.path.join(args.pwd, args.program))
    sys.argv = [program]
    sys.path.insert(0, args.pwd)

    def start():
        runpy.run_path(program, run_name="__main__")

    try:
        loop.run_until_complete(run_in_stack(start))
    except pulumi.RunError as error:
        return str(error)
    except Exception as error:
        return f"The program failed:\n{trace(error)}"
    left = [place(task) for task in asyncio.all_tasks(loop) if is_own(code(task))]
    if left:
        return f"The program came to its end without waiting for what it had begun: await {', '.join(sorted(left))}"
    return None


def code(task):
    return getattr(task.get_coro(), "cr_code", None)


def is_own(code):
    """Whether code is the program's, and no package's."""
    if code is None or code.co_filename.startswith("<"):
        return False
    packages = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    packages += [os.path.dirname(pulumi.__file__), __file__]
    return not any(code.co_filename.startswith(path) for path in packages)


def place(task):
    found = code(task)
    return f"{found.co_name} ({found.co_filename}:{found.co_firstlineno})"


def trace(error):
    """An error as Python tells it, without the places in Pulumi's runtime that it went through."""
    told = traceback.TracebackException.from_exception(error)
    runtime = (os.path.dirname(pulumi.__file__), os.path.dirname(asyncio.__file__), __file__, "<frozen")
    parts = [told]
    while parts:
        part = parts.pop()
        if part is not None:
            frames = [frame for frame in part.stack if not frame.filename.startswith(runtime)]
            part.stack = traceback.StackSummary.from_list(frames)
            parts += [part.__cause__, part.__context__]
    return "".join(told.format())


def main():
    args = arguments()
    disconnect = connect(args)
    # A program keeps nearly all that it makes, and looking through that again and again takes half of its time.
    gc.set_threshold(50_000, 20, 50)
    # What a failed program leaves behind is nobody's concern.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    loop.set_default_executor(ThreadPoolExecutor(THREADS))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        failure = run(args, loop)
        if failure is not None:
            pulumi.log.error(failure)
            sys.exit(TOLD)
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        # Threads that wait for an answer would keep the process.
        disconnect()


main()
