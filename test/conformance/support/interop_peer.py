"""Client and server of the standard interop cases on Python's grpcio.

    interop_peer.py server PORT [CERTIFICATE KEY]
    interop_peer.py client PORT CASE [CA]

grpcio-tools and the folder of interop.proto must be on PYTHONPATH.
Cases: gRPC's doc/interop-test-descriptions.md.
"""

import queue
import sys
import time
from concurrent import futures

import grpc

protos, services = grpc.protos_and_services("interop.proto")

ECHO_INITIAL = "x-grpc-test-echo-initial"
ECHO_TRAILING = "x-grpc-test-echo-trailing-bin"
LARGE_REQUEST_BYTES = 271828
LARGE_RESPONSE_BYTES = 314159
REQUEST_SIZES = (27182, 8, 1828, 45904)
RESPONSE_SIZES = (31415, 9, 2653, 58979)
SPECIAL_MESSAGE = "\t\ntest with whitespace\r\nand Unicode BMP \u263a and non-BMP \U0001f608\t\n"
TIMEOUT_S = 20


def payload(size):
    return protos.Payload(body=b"\0" * size)


# --- the server ---


class TestService(services.TestServiceServicer):
    def EmptyCall(self, request, context):
        echo_metadata(context)
        return protos.Empty()

    def UnaryCall(self, request, context):
        if request.response_compressed.value:
            context.set_compression(grpc.Compression.Gzip)
        echo_metadata(context)
        echo_status(request, context)
        return protos.SimpleResponse(payload=payload(request.response_size))

    def StreamingInputCall(self, request_iterator, context):
        total = sum(len(request.payload.body) for request in request_iterator)
        return protos.StreamingInputCallResponse(aggregated_payload_size=total)

    def StreamingOutputCall(self, request, context):
        if any(parameters.compressed.value for parameters in request.response_parameters):
            context.set_compression(grpc.Compression.Gzip)
        yield from responses(request)

    def FullDuplexCall(self, request_iterator, context):
        echo_metadata(context)
        for request in request_iterator:
            echo_status(request, context)
            yield from responses(request)


def responses(request):
    for parameters in request.response_parameters:
        time.sleep(parameters.interval_us / 1e6)
        yield protos.StreamingOutputCallResponse(payload=payload(parameters.size))


def echo_status(request, context):
    if request.HasField("response_status"):
        code = next(c for c in grpc.StatusCode if c.value[0] == request.response_status.code)
        context.abort(code, request.response_status.message)


def echo_metadata(context):
    received = dict(context.invocation_metadata())
    if ECHO_INITIAL in received:
        context.send_initial_metadata(((ECHO_INITIAL, received[ECHO_INITIAL]),))
    if ECHO_TRAILING in received:
        context.set_trailing_metadata(((ECHO_TRAILING, received[ECHO_TRAILING]),))


def serve(port, certificate=None, key=None):
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=8))
    services.add_TestServiceServicer_to_server(TestService(), server)
    address = f"127.0.0.1:{port}"
    if certificate is None:
        server.add_insecure_port(address)
    else:
        pair = (read(key), read(certificate))
        server.add_secure_port(address, grpc.ssl_server_credentials((pair,)))
    server.start()
    print("ready", flush=True)
    server.wait_for_termination()


# --- the client ---


def expect(actual, expected):
    if actual != expected:
        raise AssertionError(f"{actual!r} instead of {expected!r}")


def expect_failure(call, code, details=None):
    try:
        call()
    except grpc.RpcError as error:
        expect(error.code(), code)
        if details is not None:
            expect(error.details(), details)
    else:
        raise AssertionError(f"no failure, {code} was expected")


def large_request(**more):
    return protos.SimpleRequest(response_size=LARGE_RESPONSE_BYTES, payload=payload(LARGE_REQUEST_BYTES), **more)


def output_request(*sizes, **more):
    parameters = [protos.ResponseParameters(size=size) for size in sizes]
    return protos.StreamingOutputCallRequest(response_parameters=parameters, **more)


def input_requests(**more):
    return (protos.StreamingInputCallRequest(payload=payload(size), **more) for size in REQUEST_SIZES)


class Pipe:
    """Requests written one at a time."""

    def __init__(self):
        self._requests = queue.Queue()

    def send(self, request):
        self._requests.put(request)

    def close(self):
        self._requests.put(None)

    def __iter__(self):
        return iter(self._requests.get, None)


def empty_unary(stub):
    expect(stub.EmptyCall(protos.Empty(), timeout=TIMEOUT_S), protos.Empty())


def large_unary(stub):
    response = stub.UnaryCall(large_request(), timeout=TIMEOUT_S)
    expect(response.payload.body, b"\0" * LARGE_RESPONSE_BYTES)


def client_streaming(stub):
    response = stub.StreamingInputCall(input_requests(), timeout=TIMEOUT_S)
    expect(response.aggregated_payload_size, sum(REQUEST_SIZES))


def server_streaming(stub):
    stream = stub.StreamingOutputCall(output_request(*RESPONSE_SIZES), timeout=TIMEOUT_S)
    expect(tuple(len(response.payload.body) for response in stream), RESPONSE_SIZES)


def ping_pong(stub):
    pipe = Pipe()
    stream = stub.FullDuplexCall(iter(pipe), timeout=TIMEOUT_S)
    for request_size, size in zip(REQUEST_SIZES, RESPONSE_SIZES):
        pipe.send(output_request(size, payload=payload(request_size)))
        expect(len(next(stream).payload.body), size)
    pipe.close()
    expect(list(stream), [])


def empty_stream(stub):
    expect(list(stub.FullDuplexCall(iter(()), timeout=TIMEOUT_S)), [])


def custom_metadata(stub):
    metadata = ((ECHO_INITIAL, "test_initial_metadata_value"), (ECHO_TRAILING, b"\xab\xab\xab"))
    _, call = stub.UnaryCall.with_call(large_request(), metadata=metadata, timeout=TIMEOUT_S)
    stream = stub.FullDuplexCall(iter((output_request(1),)), metadata=metadata, timeout=TIMEOUT_S)
    expect(len(list(stream)), 1)
    for answered in (call, stream):
        expect(dict(answered.initial_metadata())[ECHO_INITIAL], metadata[0][1])
        expect(dict(answered.trailing_metadata())[ECHO_TRAILING], metadata[1][1])


def status_code_and_message(stub):
    message = "test status message"
    status = protos.EchoStatus(code=2, message=message)
    unary = protos.SimpleRequest(response_status=status)
    duplex = protos.StreamingOutputCallRequest(response_status=status)
    expect_failure(lambda: stub.UnaryCall(unary, timeout=TIMEOUT_S), grpc.StatusCode.UNKNOWN, message)
    call = lambda: list(stub.FullDuplexCall(iter((duplex,)), timeout=TIMEOUT_S))
    expect_failure(call, grpc.StatusCode.UNKNOWN, message)


def special_status_message(stub):
    request = protos.SimpleRequest(response_status=protos.EchoStatus(code=2, message=SPECIAL_MESSAGE))
    expect_failure(lambda: stub.UnaryCall(request, timeout=TIMEOUT_S), grpc.StatusCode.UNKNOWN, SPECIAL_MESSAGE)


def unimplemented_method(stub):
    expect_failure(lambda: stub.UnimplementedCall(protos.Empty(), timeout=TIMEOUT_S), grpc.StatusCode.UNIMPLEMENTED)


def unimplemented_service(stub, channel):
    other = services.UnimplementedServiceStub(channel)
    expect_failure(lambda: other.UnimplementedCall(protos.Empty(), timeout=TIMEOUT_S), grpc.StatusCode.UNIMPLEMENTED)


def cancel_after_begin(stub):
    pipe = Pipe()
    call = stub.StreamingInputCall.future(iter(pipe), timeout=TIMEOUT_S)
    call.cancel()
    expect(call.cancelled(), True)
    expect(call.code(), grpc.StatusCode.CANCELLED)
    pipe.close()


def cancel_after_first_response(stub):
    pipe = Pipe()
    stream = stub.FullDuplexCall(iter(pipe), timeout=TIMEOUT_S)
    pipe.send(output_request(31415, payload=payload(27182)))
    expect(len(next(stream).payload.body), 31415)
    stream.cancel()
    expect_failure(lambda: next(stream), grpc.StatusCode.CANCELLED)
    pipe.close()


def timeout_on_sleeping_server(stub):
    pipe = Pipe()
    stream = stub.FullDuplexCall(iter(pipe), timeout=0.001)
    pipe.send(protos.StreamingOutputCallRequest(payload=payload(27182)))
    expect_failure(lambda: next(stream), grpc.StatusCode.DEADLINE_EXCEEDED)
    pipe.close()


def client_compressed_unary(stub):
    true = protos.BoolValue(value=True)
    probe = lambda: stub.UnaryCall(large_request(expect_compressed=true), timeout=TIMEOUT_S)
    expect_failure(probe, grpc.StatusCode.INVALID_ARGUMENT)
    request = large_request(expect_compressed=true)
    response = stub.UnaryCall(request, compression=grpc.Compression.Gzip, timeout=TIMEOUT_S)
    expect(len(response.payload.body), LARGE_RESPONSE_BYTES)
    response = stub.UnaryCall(request, compression=grpc.Compression.Deflate, timeout=TIMEOUT_S)
    expect(len(response.payload.body), LARGE_RESPONSE_BYTES)


def server_compressed_unary(stub):
    for value in (True, False):
        request = large_request(response_compressed=protos.BoolValue(value=value))
        response = stub.UnaryCall(request, timeout=TIMEOUT_S)
        expect(response.payload.body, b"\0" * LARGE_RESPONSE_BYTES)


def client_compressed_streaming(stub):
    requests = input_requests(expect_compressed=protos.BoolValue(value=True))
    response = stub.StreamingInputCall(requests, compression=grpc.Compression.Gzip, timeout=TIMEOUT_S)
    expect(response.aggregated_payload_size, sum(REQUEST_SIZES))


def server_compressed_streaming(stub):
    true = protos.BoolValue(value=True)
    parameters = [protos.ResponseParameters(size=size, compressed=true) for size in RESPONSE_SIZES]
    request = protos.StreamingOutputCallRequest(response_parameters=parameters)
    stream = stub.StreamingOutputCall(request, timeout=TIMEOUT_S)
    expect(tuple(len(response.payload.body) for response in stream), RESPONSE_SIZES)


def run_case(port, case, ca=None):
    address = f"127.0.0.1:{port}"
    if ca is None:
        channel = grpc.insecure_channel(address)
    else:
        channel = grpc.secure_channel(address, grpc.ssl_channel_credentials(read(ca)))
    with channel:
        stub = services.TestServiceStub(channel)
        if case == "unimplemented_service":
            unimplemented_service(stub, channel)
        else:
            globals()[case](stub)


def read(path):
    with open(path, "rb") as file:
        return file.read()


if __name__ == "__main__":
    {"server": serve, "client": run_case}[sys.argv[1]](*sys.argv[2:])
