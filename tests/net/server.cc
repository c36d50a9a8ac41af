#include "net/server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

extern char** environ;

namespace sonder::net {
namespace {

[[noreturn]] void refuse(const char* what) {
  throw Error(ErrorKind::io, std::string("the test server: ") + what);
}

sockaddr_in here(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

std::string get(int port, const std::string& path) {
  const int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = here(port);
  if (connect(s, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) refuse("no connection");
  const std::string ask = "GET " + path + " HTTP/1.0\r\n\r\n";
  if (write(s, ask.data(), ask.size()) != static_cast<ssize_t>(ask.size())) refuse("no question");
  std::string all;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(s, buffer, sizeof buffer)) > 0;)
    all.append(buffer, static_cast<std::size_t>(n));
  close(s);
  return all.substr(all.find("\r\n\r\n") + 4);
}

}  // namespace

Server::Server() {
  int to[2], from[2];
  if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) refuse("no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to[0], 0);
  posix_spawn_file_actions_adddup2(&actions, from[1], 1);
  std::string program = "python3", script = std::string(SONDER_ROOT) + "/tests/net/misbehave.py";
  char* argv[] = {program.data(), script.data(), nullptr};
  const int failed = posix_spawnp(&pid_, "python3", &actions, nullptr, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(to[0]);
  close(from[1]);
  in_ = to[1];
  if (failed != 0) refuse("python3 could not be started");
  std::string line;
  for (char c = 0; read(from[0], &c, 1) == 1 && c != '\n';) line += c;
  close(from[0]);
  if (line.empty()) refuse("it did not begin");
  port_ = std::stoi(line);
}

Server::~Server() {
  close(in_);  // it ends when its standard input does
  if (pid_ > 0) waitpid(pid_, nullptr, 0);
}

std::string Server::url(const std::string& steps) {
  return "http://127.0.0.1:" + std::to_string(port_) + "/t" + std::to_string(++n_) + "/" + steps + "/v1";
}

nlohmann::json Server::log() const {
  return nlohmann::json::parse(get(port_, "/t" + std::to_string(n_) + "/log"));
}

int closed_port() {
  const int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = here(0);
  socklen_t size = sizeof address;
  if (bind(s, reinterpret_cast<sockaddr*>(&address), size) != 0) refuse("no port");
  getsockname(s, reinterpret_cast<sockaddr*>(&address), &size);
  close(s);
  return ntohs(address.sin_port);
}

}  // namespace sonder::net
