// The misbehaving endpoint of misbehave.py, started for one test program and gone with it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace sonder::net {

class Server {
 public:
  Server();  // Throws Error(io) when python3 is not there
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const { return port_; }
  // The address of a script; each call has a log of its own.
  std::string url(const std::string& steps);
  // What was asked at the address that url() gave last: {"most": …, "requests": [{"at", "body", …}]}.
  nlohmann::json log() const;

 private:
  int pid_ = -1;
  int in_ = -1;
  int port_ = 0;
  int n_ = 0;
};

int closed_port();  // of this machine, where nobody listens

}  // namespace sonder::net
