"""Runs a Pulumi program in Python: its runtime is set up to talk to the embedded engine, and the program is started as `python3 FOLDER` would start it."""

import argparse
import asyncio
import atexit
import functools
import gc
import inspect
import json
import os
import runpy
import signal
import sys
import sysconfig
import threading
import traceback
import types
import warnings
from concurrent import futures

# Python forgets this name before the last that is called at its end.
OWN_FILE = __file__
# Whoever interrupts these imports is to be told nothing of them.
signal.signal(signal.SIGINT, signal.SIG_DFL)
# The program imports from its own folder.
if sys.path[0] == os.path.dirname(OWN_FILE):
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
    parser.add_argument("--descriptors", action="store_true")
    parser.add_argument("program")
    return parser.parse_args()


def take_descriptors():
    """Takes config that is too long for the environment from descriptor 3, and ends the process when the engine does: descriptor 4 closes then."""
    with os.fdopen(3) as order:
        handed = json.load(order)["handed"]
    if handed:
        values, secrets = (json.loads(handed[name]) for name in ("PULUMI_CONFIG", "PULUMI_CONFIG_SECRET_KEYS"))
        # Every thread looks there; what the program itself starts is handed none of it.
        config = pulumi.runtime.config
        config.get_config_env, config.get_config_secret_keys_env = lambda: values, lambda: secrets
    os.set_inheritable(4, False)

    def end_with_engine():
        if os.read(4, 1) == b"":
            # As the engine would, had it been able to: with all that the program has started.
            os.killpg(0, signal.SIGKILL)

    threading.Thread(target=end_with_engine, daemon=True).start()


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


def run(args, loop, lost):
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
    fault = lost.fault()
    if fault is None:
        # What runs in its threads fails where nobody looks any more.
        loop.run_until_complete(loop.shutdown_default_executor())
        fault = lost.fault()
    lost.is_sound = fault is None
    return fault


class Lost:
    """
    What failed, or was thrown away, in what the program began and did not wait for. Python itself only logs it, and ends with 0. What the program would have
    declared is not known then, so it fails the program, as a rejection that nobody handles does in Node.
    """

    def __init__(self, loop):
        self.loop = loop
        self.errors = []
        # Code of tasks and coroutines that were thrown away before they were done.
        self.left = set()
        # The program has come to its end, and to no fault of its own.
        self.is_sound = False
        asyncio.BaseEventLoop.default_exception_handler = lambda _, context: self.hear(context)
        self.usual = threading.excepthook
        threading.excepthook = self.hear_thread
        self.warn = warnings._warn_unawaited_coroutine
        warnings._warn_unawaited_coroutine = self.hear_coroutine
        # Called last, as the first that is registered: threads have ended by then.
        atexit.register(self.judge)

    def hear(self, context):
        task, error = context.get("task"), context.get("exception")
        if error is not None:
            self.add(error)
        elif task is not None and not task.done():
            self.left.add(own_code(task.get_coro()))

    def hear_thread(self, thread):
        if thread.exc_type is not SystemExit:
            self.add(thread.exc_value)
        self.usual(thread)

    def hear_coroutine(self, coroutine):
        found = own_code(coroutine)
        if found is None:
            self.warn(coroutine)
        self.left.add(found)

    def add(self, error):
        if not any(error is other for other in self.errors):
            self.errors.append(error)

    def fault(self):
        """What keeps the program from its end until now, or nothing."""
        return self.failure() or self.unfinished()

    def failure(self):
        """All that failed. What is still referred to nobody has noted yet."""
        for each in gc.get_objects():
            if issubclass(type(each), asyncio.Future) and each._log_traceback:
                self.add(each.exception())
        if not self.errors:
            return None
        told = "\n".join(trace(error) for error in self.errors)
        return f"The program failed in what it had begun, and nobody waited for that:\n{told}"

    def unfinished(self):
        """What the program began or planned, and has not done."""
        waiting = [task.get_coro() for task in asyncio.all_tasks(self.loop)]
        # Those that were only made, and never begun.
        waiting += [each for each in gc.get_objects() if type(each) is types.CoroutineType and is_new(each)]
        begun = self.left | {own_code(each) for each in waiting}
        handles = [*self.loop._scheduled, *self.loop._ready]
        planned = {code for code in map(planned_code, handles) if is_own(code)}
        for found, what in [
            (begun - {None}, "without waiting for what it had begun: await"),
            (planned, "before what it had planned for later: wait for"),
        ]:
            if found:
                return f"The program came to its end {what} {', '.join(sorted(map(place, found)))}"
        return None

    def judge(self):
        """A thread may go on after the program's end, and then fail, or plan more."""
        if not self.is_sound:
            return
        try:
            fault = self.unfinished()
            if fault is None and not self.loop.is_closed():
                # What threads have come to since is told to whoever began them.
                self.loop.run_until_complete(asyncio.sleep(0))
            fault = fault or self.failure()
        except Exception:
            fault = traceback.format_exc()
        if fault is not None:
            sys.stdout.flush()
            print(fault, file=sys.stderr, flush=True)
            os._exit(1)


def planned_code(handle):
    callback = handle._callback
    while isinstance(callback, functools.partial):
        callback = callback.func
    return None if handle.cancelled() else getattr(callback, "__code__", None)


def is_new(coroutine):
    return inspect.getcoroutinestate(coroutine) == inspect.CORO_CREATED


def own_code(within):
    """The program's own code that a coroutine runs, also within what a package made of it."""
    while within is not None:
        code = getattr(within, "cr_code", None) or getattr(within, "gi_code", None)
        if is_own(code):
            return code
        within = getattr(within, "cr_await", None) or getattr(within, "gi_yieldfrom", None)
    return None


def is_own(code):
    """Whether code is the program's, and no package's."""
    if code is None or code.co_filename.startswith("<"):
        return False
    packages = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    packages += [os.path.dirname(pulumi.__file__), OWN_FILE]
    return not any(code.co_filename.startswith(path) for path in packages)


def place(code):
    return f"{code.co_name} ({code.co_filename}:{code.co_firstlineno})"


def trace(error):
    """An error as Python tells it, without the places in Pulumi's runtime that it went through."""
    told = traceback.TracebackException.from_exception(error)
    rooms = [os.path.dirname(module.__file__) for module in (pulumi, asyncio, futures)]
    runtime = (*rooms, threading.__file__, OWN_FILE, "<frozen")
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
    if args.descriptors:
        take_descriptors()
    disconnect = connect(args)
    # A program keeps nearly all that it makes, and looking through that again and again takes half of its time.
    gc.set_threshold(50_000, 20, 50)
    loop = asyncio.new_event_loop()
    lost = Lost(loop)
    asyncio.set_event_loop(loop)
    loop.set_default_executor(futures.ThreadPoolExecutor(THREADS))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        failure = run(args, loop, lost)
        if failure is not None:
            pulumi.log.error(failure)
            sys.exit(TOLD)
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        # Threads that wait for an answer would keep the process.
        disconnect()


main()
